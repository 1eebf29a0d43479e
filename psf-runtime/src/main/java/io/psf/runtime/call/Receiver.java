package io.psf.runtime.call;

import io.psf.api.PsException;

/** One end of a channel. Frames come in the order in which a thread sent them. Thread-safe; methods return soon. */
public interface Receiver {
    /** Takes over a frame that came. */
    void received(Channel channel, Frame frame);

    /** Told once, when no more frames come. */
    void closed(Channel channel, PsException cause);
}
