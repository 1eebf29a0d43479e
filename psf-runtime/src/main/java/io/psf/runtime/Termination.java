package io.psf.runtime;

import io.psf.api.PsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Blocks until a node has ended. */
final class Termination {
    private Termination() {}

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
