package io.psf.runtime.transport;

import io.psf.api.PsException;

/** One end of a channel. Frames come in the order in which a thread sent them. Thread-safe; methods return soon. */
public interface Receiver {
    /** Takes over a frame that came. */
    void received(Channel channel, Frame frame);

    /** Whether it may be given frames that are {@link Frame#isLent lent}, since it releases each before it returns. */
    default boolean takesLent() {
        return false;
    }

    /**
     * Whether the memory of a long frame that the peer has announced may be taken now. If not, this has stopped the
     * channel's reading, and lets it go on when the frame is to be asked for again. Asked by the thread that reads.
     */
    default boolean admits(Channel channel, int length) {
        return true;
    }

    /** Told that bytes of offered or sent frames have been taken by the network, or by the peer. */
    default void sent(Channel channel, long bytes) {}

    /** Told once, when no more frames come. */
    void closed(Channel channel, PsException cause);
}
