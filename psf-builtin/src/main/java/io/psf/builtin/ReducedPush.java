package io.psf.builtin;

import io.psf.api.Pending;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A push of reduced weights: an all-reduce, and the step that follows it once. */
final class ReducedPush implements Pending<Object> {
    private final Pending<?> reduced;
    private final ReducedWeights weights;
    private boolean stepped;

    ReducedPush(Pending<?> reduced, ReducedWeights weights) {
        this.reduced = reduced;
        this.weights = weights;
    }

    @Override
    public Object await() {
        return step(reduced.await());
    }

    @Override
    public Object await(Duration limit) {
        return step(reduced.await(limit));
    }

    private synchronized Object step(Object answer) {
        if (!stepped) {
            stepped = true;
            weights.step();
        }
        return answer;
    }

    @Override
    public boolean isDone() {
        return reduced.isDone();
    }

    @Override
    public boolean cancel() {
        return reduced.cancel();
    }

    @Override
    public CompletableFuture<Object> toCompletableFuture() {
        CompletableFuture<Object> future = reduced.toCompletableFuture().thenApply(this::step);
        var unused = future.whenComplete((answer, failure) -> {
            if (future.isCancelled()) {
                cancel();
            }
        });
        return future;
    }
}
