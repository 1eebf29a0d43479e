package io.psf.runtime.spi.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A frame that is not written yet. A channel that can do so has it written directly to the memory that it is sent from;
 * else the frame is written to a buffer of its own.
 */
public interface Draft {
    /**
     * Returns the last bytes of the frame if they exist in memory already, in the form in which they are sent, and are
     * many; else null. The buffer does not change until the channel has taken the draft.
     */
    default @Nullable ByteBuffer tail() {
        return null;
    }

    /** Writes the frame as {@link #writeTo} does, without the {@link #tail}. */
    default void writeHeadTo(ByteBuffer out) {
        throw new UnsupportedOperationException("no tail");
    }

    /** Returns the length of the whole frame in bytes. */
    int length();

    /**
     * Writes the frame at the position of a little-endian buffer, which has enough space for it.
     *
     * @return false if the frame has become unnecessary and must not be sent
     */
    boolean writeTo(ByteBuffer out);
}
