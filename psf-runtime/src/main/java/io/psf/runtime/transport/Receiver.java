package io.psf.runtime.transport;

import io.psf.api.PsException;

/**
 * The receiver of the frames of a channel. Frames arrive in the order in which a thread sent them. Implementations are
 * thread-safe, and their methods return soon.
 */
public interface Receiver {
    /** Takes ownership of a received frame. */
    void received(Channel channel, Frame frame);

    /** True if it accepts {@link Frame#isLent lent} frames, because it releases each of them before it returns. */
    default boolean takesLent() {
        return false;
    }

    /**
     * True if the memory of a long, announced frame may be allocated now. If false, the receiver has stopped reading
     * from the channel, and starts reading again when this method is to be called again for the frame. Runs on the
     * thread that reads.
     */
    default boolean admits(Channel channel, int length) {
        return true;
    }

    /** Called when the network, or the peer, has taken bytes of frames that were sent or offered. */
    default void sent(Channel channel, long bytes) {}

    /** Called once, when no more frames will arrive. */
    void closed(Channel channel, PsException cause);
}
