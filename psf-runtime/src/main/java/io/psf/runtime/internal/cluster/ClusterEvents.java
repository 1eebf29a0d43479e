package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Receives what happens to a cluster, and answers what the cluster asks of the network. Called on the scheduler's lane.
 */
public interface ClusterEvents {
    /** Called with the members after every change. */
    void changed(List<Member> members);

    /** Called before the state that makes all workers load a checkpoint. */
    default void rolledBack(long epoch) {}

    /**
     * Called when a server has had no connection for a while: connects to it, without blocking.
     *
     * @return true if nothing listens there any more
     */
    default CompletableFuture<Boolean> refuses(Member server) {
        return CompletableFuture.completedFuture(false);
    }

    /** Called once, after all nodes have gone: with a failure if the job ended badly, else null. */
    void ended(@Nullable PsException failure);
}
