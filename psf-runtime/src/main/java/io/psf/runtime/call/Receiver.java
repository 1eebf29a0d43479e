package io.psf.runtime.call;

import io.psf.api.PsException;

/** One end of a channel. Methods are called in order, by one thread at a time, and return soon. */
public interface Receiver {
    /** Takes over a frame that came. */
    void received(Channel channel, Frame frame);

    /** Told once, when no more frames come. */
    void closed(Channel channel, PsException cause);
}
