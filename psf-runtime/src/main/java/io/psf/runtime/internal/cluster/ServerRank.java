package io.psf.runtime.internal.cluster;

import org.jspecify.annotations.Nullable;

/** The rank of a server, as the calls of another node see it: one node after another may have it. Thread-safe. */
public interface ServerRank {
    /** Returns the node that has the rank now; null while none has it. */
    ClusterChange.@Nullable Node node();

    /** True if no node has the rank, and one is expected to take it. */
    boolean isAwaited();

    /** Asks the scheduler who has the rank. Blocks until it has answered, for a few seconds at most. */
    void refresh();
}
