package io.psf.runtime.internal.server;

import io.psf.api.Member;

/** Says which nodes are members of the cluster. Thread-safe. */
@FunctionalInterface
public interface Presence {
    /** Every node is one, as at the scheduler, which ends the sessions of nodes that have left by itself. */
    Presence ALWAYS = (member, since) -> true;

    /**
     * True if a node is in the cluster, or is a client, of which a server does not know whether it is still there.
     *
     * @param since the epoch in which it joined; 0 for any
     */
    boolean has(Member member, long since);
}
