package io.psf.runtime.spi.transport;

import io.psf.api.PsException;

/**
 * The receiver of the frames of a channel. Frames arrive in the order in which a thread sent them. Implementations are
 * thread-safe, and their methods return soon.
 *
 * <p>The methods run on a thread of the transport, or on a thread that awaits or sends; within one JVM also on the
 * peer's threads. Calls for one channel may overlap: after {@link Channel#mayTakeLong}, or with several senders within
 * one JVM.
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

    /**
     * Called when the network, or the peer, has taken bytes of frames that were sent or offered. May run within {@link
     * Channel#offer(Frame)}, before that returns. Only offered bytes are sure to be reported: the bytes of a draft that
     * was sent, or of a frame sent within one JVM, may not be.
     */
    default void sent(Channel channel, long bytes) {}

    /**
     * Called when no more frames will arrive. The channel calls this method once. The owner of the receiver may call it
     * too, so a second call must do nothing.
     */
    void closed(Channel channel, PsException cause);
}
