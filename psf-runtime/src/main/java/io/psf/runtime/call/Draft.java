package io.psf.runtime.call;

import java.nio.ByteBuffer;

/**
 * A frame that has yet to be written: straight to where it is sent from if the channel can, or else into memory of its
 * own.
 */
public interface Draft {
    /** Bytes of the whole frame. */
    int length();

    /**
     * Writes the frame at the position of a little-endian buffer that has room for it.
     *
     * @return false if it is not to be sent after all
     */
    boolean writeTo(ByteBuffer out);
}
