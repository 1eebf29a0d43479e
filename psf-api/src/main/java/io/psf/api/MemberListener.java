package io.psf.api;

import java.util.List;

/**
 * Implemented by an attachment of a {@link Shard} or a {@link Node} that must be notified when a node joins, leaves or
 * is lost, for example because a deferred answer waits for other workers.
 */
public interface MemberListener {
    /**
     * Handles a change of the membership. Runs on the lane of the shard or node that the attachment belongs to.
     *
     * @param members the current members of the cluster
     */
    void membersChanged(List<Member> members);
}
