package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A future that completes on a lane of a node. A thread that runs one of the node's lanes cannot wait for it, nor for a
 * stage derived from it: that fails at once instead of at the deadline. Thread-safe.
 */
public final class LaneFuture<T> extends CompletableFuture<T> {
    private final BooleanSupplier isOnLane;
    private final String what;

    /**
     * Creates an incomplete future.
     *
     * @param isOnLane true if the current thread runs one of the node's lanes
     * @param what the awaited operation, for messages
     */
    public LaneFuture(BooleanSupplier isOnLane, String what) {
        this.isOnLane = isOnLane;
        this.what = what;
    }

    /**
     * Completes this future as another one does.
     *
     * @param lane runs the stages that depend on this future
     * @param after runs on the lane after them
     */
    public void completeAs(CompletableFuture<T> other, Executor lane, Runnable after) {
        var unused = other.whenComplete((result, failure) -> lane.execute(() -> {
            if (failure == null) {
                complete(result);
            } else {
                completeExceptionally(failure);
            }
            after.run();
        }));
    }

    private void requireNoLane() {
        if (!isDone() && isOnLane.getAsBoolean()) {
            throw new PsException(
                    Code.HANDLER_FAILED,
                    "waiting for " + what + ": on the lane "
                            + Thread.currentThread().getName()
                            + " (expected: a handler that returns a CompletionStage<Response> and does not wait,"
                            + " since the answer arrives on the same lane)");
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new LaneFuture<>(isOnLane, what);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        requireNoLane();
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        requireNoLane();
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        requireNoLane();
        return super.join();
    }
}
