package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call's answer as a future that belongs to the caller. Completing the future before the call has ended cancels the
 * call.
 *
 * @param <R> the response
 */
final class CallFuture<R> extends CompletableFuture<R> {
    private final Outcome<R> call;
    private final @Nullable CallFuture<R> next;

    /**
     * Creates a future of a call.
     *
     * @param next another future of the same call; null for none
     */
    CallFuture(Outcome<R> call, @Nullable CallFuture<R> next) {
        this.call = call;
        this.next = next;
    }

    @Nullable
    CallFuture<R> next() {
        return next;
    }

    /** Completes the future with the outcome of the call: the failure if it is not null, else the result. */
    void end(@Nullable R result, @Nullable PsException failure) {
        if (failure != null) {
            super.completeExceptionally(failure);
        } else {
            super.complete(result);
        }
    }

    @Override
    public boolean complete(R value) {
        return givesUp(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return givesUp(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return givesUp(super.cancel(mayInterruptIfRunning));
    }

    private boolean givesUp(boolean completed) {
        if (completed) {
            call.cancel();
        }
        return completed;
    }
}
