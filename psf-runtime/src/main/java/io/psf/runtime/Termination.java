package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Blocks until a node has ended. */
final class Termination {
    private Termination() {}

    /**
     * Returns why a worker or client cannot go on whose heartbeat has failed: a scheduler that has answered is well, and does not
     * know the node any more.
     */
    static PsException of(PsException cause) {
        PsException first = cause.getCause() instanceof PsException known ? known : cause;
        return first.code() == Code.CLOSED
                ? new PsException(Code.UNAVAILABLE, cause.detail())
                : new PsException(cause.code(), "lost the scheduler: " + cause.detail());
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
