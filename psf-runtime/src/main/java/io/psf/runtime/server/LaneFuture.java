package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What completes on a lane of a node. A thread that runs one of the node's lanes cannot wait for it, nor for a stage made
 * of it: that fails at once instead of at the deadline. Thread-safe.
 */
final class LaneFuture<T> extends CompletableFuture<T> {
    private final HostNode node;
    private final String what;

    /**
     * A future that is not complete.
     *
     * @param what it is an answer to, for messages
     */
    LaneFuture(HostNode node, String what) {
        this.node = node;
        this.what = what;
    }

    private void requireNoLane() {
        if (!isDone() && node.isOnLane()) {
            throw new PsException(
                    Code.HANDLER_FAILED,
                    "waiting for " + what + ": on the lane "
                            + Thread.currentThread().getName()
                            + " (expected: a handler that returns a stage of it, CompletionStage<Response>, since a lane"
                            + " that waits does not come to the answer)");
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new LaneFuture<>(node, what);
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
