package io.psf.runtime.internal.server;

import io.psf.api.Member;
import io.psf.runtime.internal.server.session.Access;
import org.jspecify.annotations.Nullable;

/** Says what the peers of a node may call. Thread-safe. */
@FunctionalInterface
public interface Permits {
    /** Every peer may call everything. */
    Permits ALL = (member, grant) -> null;

    /**
     * Returns what a peer may call; null for everything.
     *
     * @param grant what the scheduler has granted the peer; empty for nothing
     */
    @Nullable
    Access of(Member member, String grant);
}
