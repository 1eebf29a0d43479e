package io.psf.runtime.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A frame that has yet to be written: straight to where it is sent from if the channel can, or else into memory of its
 * own.
 */
public interface Draft {
    /**
     * The end of the frame, where that lies in memory of its own as it is to be sent, and is long; else null. It stays as
     * it is until the channel has taken the draft.
     */
    default @Nullable ByteBuffer tail() {
        return null;
    }

    /** As {@link #writeTo}, but for the {@link #tail}. */
    default void writeHeadTo(ByteBuffer out) {
        throw new UnsupportedOperationException("no tail");
    }

    /** Bytes of the whole frame. */
    int length();

    /**
     * Writes the frame at the position of a little-endian buffer that has room for it.
     *
     * @return false if it is not to be sent after all
     */
    boolean writeTo(ByteBuffer out);
}
