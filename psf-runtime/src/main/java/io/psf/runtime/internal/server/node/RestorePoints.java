package io.psf.runtime.internal.server.node;

import io.psf.api.Caller;
import io.psf.api.spi.RestorePoint;
import java.util.concurrent.CompletableFuture;

/** Where a node tells of checkpoints from which lost slices are loaded. Thread-safe. */
@FunctionalInterface
public interface RestorePoints {
    /** Does nothing: no server can be lost. */
    RestorePoints NONE = (caller, point) -> CompletableFuture.completedFuture(null);

    /**
     * Tells the scheduler.
     *
     * @param caller the caller of the node itself
     */
    CompletableFuture<Void> tell(Caller caller, RestorePoint point);
}
