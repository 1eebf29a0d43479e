package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Blocks until a node has ended. */
final class Termination {
    private Termination() {}

    /**
     * Returns why a worker or client cannot go on whose heartbeat has failed: a scheduler that has answered is well,
     * and does not know the node any more. On a loaded machine the heartbeat's deadline may pass before the attempts to
     * connect end: the scheduler is not available then, either.
     */
    static PsException of(PsException cause) {
        PsException first = cause.getCause() instanceof PsException known ? known : cause;
        boolean isWell = first.code() == Code.CLOSED;
        return new PsException(
                isWell || cause.code() == Code.TIMED_OUT ? Code.UNAVAILABLE : cause.code(),
                (isWell ? "" : "lost the scheduler: ") + cause.detail());
    }

    static void await(CompletableFuture<?> future) {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PsException known
                    ? known
                    : new PsException(PsException.Code.INTERNAL, String.valueOf(e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, "interrupted while waiting", e);
        }
    }
}
