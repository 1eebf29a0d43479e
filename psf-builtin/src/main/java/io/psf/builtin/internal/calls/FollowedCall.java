package io.psf.builtin.internal.calls;

import io.psf.api.Pending;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A call that is followed by work of the caller, which the first thread that learns of the answer does once. */
public final class FollowedCall<R> implements Pending<R> {
    private final Pending<R> call;
    private final Consumer<R> work;
    private boolean worked;

    public FollowedCall(Pending<R> call, Consumer<R> work) {
        this.call = call;
        this.work = work;
    }

    @Override
    public R await() {
        return follow(call.await());
    }

    @Override
    public R await(Duration limit) {
        return follow(call.await(limit));
    }

    private synchronized R follow(R answer) {
        if (!worked) {
            worked = true;
            work.accept(answer);
        }
        return answer;
    }

    @Override
    public boolean isDone() {
        return call.isDone();
    }

    @Override
    public boolean cancel() {
        return call.cancel();
    }

    @Override
    public CompletableFuture<R> toCompletableFuture() {
        CompletableFuture<R> future = call.toCompletableFuture().thenApply(this::follow);
        var unused = future.whenComplete((answer, failure) -> cancel()); // if it was completed before the answer
        return future;
    }
}
