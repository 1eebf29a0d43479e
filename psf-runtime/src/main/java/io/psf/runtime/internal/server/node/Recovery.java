package io.psf.runtime.internal.server.node;

import io.psf.api.Caller;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.Routing;
import java.util.concurrent.CompletableFuture;

/** What a server has to do with the recovery of lost ones. Thread-safe. */
public interface Recovery {
    /** Returns that of servers of which none can be lost. */
    static Recovery none(int servers) {
        return new Recovery() {
            @Override
            public CompletableFuture<Void> tell(Caller caller, RestorePoint point) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public boolean hasAllServers() {
                return true;
            }

            @Override
            public boolean isRestored() {
                return true;
            }

            @Override
            public int owner(long key) {
                return Routing.partition(key) % servers;
            }
        };
    }

    /**
     * Tells the scheduler of checkpoints from which lost slices are loaded.
     *
     * @param caller the caller of the node itself
     */
    CompletableFuture<Void> tell(Caller caller, RestorePoint point);

    /** True unless a server is lost for good, as far as this node knows. */
    boolean hasAllServers();

    /** False while the server loads the slices of a lost one, whose place it takes. */
    boolean isRestored();

    /** Returns the rank of the server that owns a key that belongs to no tensor, and restores what is there. */
    int owner(long key);
}
