package io.psf.runtime.spi.shard;

import io.psf.api.Member;
import io.psf.api.Shard;
import java.util.List;

/** A shard that a factory has made, as the server uses it. */
public interface MadeShard {
    /**
     * Returns the shard that handlers use, always the same. A handler serves it if the type of the second parameter of
     * {@code handle} is one of the shard's types. Of these handlers, the available one of the highest preference is
     * chosen.
     */
    Shard shard();

    /**
     * Moves the shard to its lane. Called once, on the thread that made the shard, after its first values were set and
     * before any call. An implementation resets state here that the first values have changed, such as counts of
     * accesses.
     */
    void moveToLane();

    /**
     * Notifies each attachment that is a {@link io.psf.api.MemberListener} of the changed members. Runs on the lane.
     * Not called for the members at the time when the shard is made.
     */
    void membersChanged(List<Member> now);

    /**
     * Gives the memory up, since the tensor was dropped or the server ends. Runs on the lane, or on the thread that
     * made the shard if setting its values has failed. No call runs on the shard any more, but views of it may be in
     * use.
     */
    void giveUp();
}
