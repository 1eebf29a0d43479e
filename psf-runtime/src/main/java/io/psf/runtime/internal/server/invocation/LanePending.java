package io.psf.runtime.internal.server.invocation;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.LaneFuture;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The answer to a handler's own call. It is delivered on the handler's lane, on which no thread can wait for it. */
final class LanePending<R> implements Pending<R> {
    private final Lane lane;
    private final LaneFuture<R> answer;
    private final String function;
    private volatile @Nullable Call<R> call;

    LanePending(Lane lane, LaneFuture<R> answer, String function) {
        this.lane = lane;
        this.answer = answer;
        this.function = function;
    }

    void whenEnded(Runnable then) {
        answer.whenComplete((response, failure) -> then.run());
    }

    /** Sets the call once it has been sent; ends with the failure if it could not be sent. */
    void sent(@Nullable Call<R> sent, @Nullable Throwable failure) {
        if (sent == null) {
            end(null, failure);
            return;
        }
        call = sent;
        if (answer.isDone()) { // cancelled meanwhile
            sent.cancel();
        }
        sent.toCompletableFuture().whenComplete(this::end);
    }

    private void end(@Nullable R response, @Nullable Throwable failure) {
        lane.execute(() -> {
            if (failure == null) {
                answer.complete(response);
            } else {
                answer.completeExceptionally(known(failure));
            }
        });
    }

    private PsException known(Throwable failure) {
        boolean wraps = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable cause = wraps && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof CancellationException) {
            return givenUp();
        }
        PsException known =
                cause instanceof PsException ps ? ps : new PsException(Code.INTERNAL, String.valueOf(cause), cause);
        return known.at(function, null, null, null);
    }

    private PsException givenUp() {
        return new PsException(Code.CANCELLED, "call: cancelled by its caller").at(function, null, null, null);
    }

    @Override
    public R await() {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw known(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public R await(Duration limit) {
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw known(e);
        } catch (TimeoutException e) {
            throw new PsException(Code.TIMED_OUT, "no answer yet after " + limit.toMillis() + " ms", e)
                    .at(function, null, null, null);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PsException(Code.CANCELLED, "interrupted while waiting", e).at(function, null, null, null);
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public boolean cancel() {
        if (answer.isDone()) {
            return false;
        }
        Call<R> sent = call;
        if (sent != null) {
            sent.cancel();
        }
        lane.executeHere(() -> answer.completeExceptionally(givenUp()));
        return true;
    }

    /** Returns a copy. Completing the copy does not end the call; cancelling it cancels the call. */
    @Override
    public CompletableFuture<R> toCompletableFuture() {
        CompletableFuture<R> copy = answer.copy();
        copy.whenComplete((response, failure) -> {
            if (copy.isCancelled()) {
                cancel();
            }
        });
        return copy;
    }
}
