package io.psf.api;

import java.util.List;

/**
 * Implemented by an attachment of a {@link Shard} or a {@link Node} that has to know when a node joins, leaves or is
 * lost: a deferred answer that waits for other workers, say.
 */
public interface MemberListener {
    /**
     * Called on the lane of the shard or node that the attachment belongs to.
     *
     * @param members who is there now
     */
    void membersChanged(List<Member> members);
}
