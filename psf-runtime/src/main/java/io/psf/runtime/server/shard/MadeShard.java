package io.psf.runtime.server.shard;

import io.psf.api.Member;
import io.psf.api.Shard;
import java.util.List;

/** A shard that a factory has made, as the server uses it. */
public interface MadeShard {
    /** Returns the shard that handlers use, always the same. Its class is the kind by which a handler is chosen. */
    Shard shard();

    /** Moves the shard to its lane: until now the thread that made it has used it, and set its values. */
    void moveToLane();

    /** Notifies the attachments that want to know the members of the cluster. */
    void membersChanged(List<Member> now);

    /**
     * Gives the memory up, since the tensor was dropped or the server ends. No call runs on the shard any more, but views
     * of it may be in use.
     */
    void giveUp();
}
