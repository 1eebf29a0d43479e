package io.psf.runtime.spi.transport;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksums of the frames in one direction of a connection. A checked frame follows a prefix of 8 bytes:
 *
 * <pre>
 *   0              4              8
 *  +--------------+--------------+-------- - -
 *  | CRC-32C of   | CRC-32C of   | frame ...
 *  | the header   | the body     |
 *  +--------------+--------------+-------- - -
 * </pre>
 *
 * <p>The header has a checksum of its own, so that a damaged length is found before the bytes that it announces are
 * awaited. Not thread-safe.
 */
public final class Checksum {
    /** The length of the prefix in bytes. */
    public static final int PREFIX = 8;

    private static final int BODY = 4;

    private final CRC32C crc = new CRC32C();

    /**
     * Writes the prefix of a frame.
     *
     * @param into little-endian
     * @param at the index of the prefix
     * @param frame a buffer with the frame, which may be the same buffer
     * @param begin the index of the frame
     * @param length the bytes of the frame in that buffer
     * @param tail the rest of the frame, from its position to its limit, which do not change
     */
    public void write(ByteBuffer into, int at, ByteBuffer frame, int begin, int length, ByteBuffer... tail) {
        into.putInt(at, of(frame, begin, Frame.HEADER));
        into.putInt(at + BODY, of(frame, begin + Frame.HEADER, length - Frame.HEADER, tail));
    }

    /**
     * Verifies the header of a frame.
     *
     * @param bytes little-endian
     * @param at the index of the prefix, with at least the prefix and the header behind it
     * @throws DamagedFrameException if the checksum does not match
     */
    public void requireHeader(ByteBuffer bytes, int at) throws DamagedFrameException {
        require("header", of(bytes, at + PREFIX, Frame.HEADER), bytes.getInt(at));
    }

    /** Returns the checksum of the body in a prefix. */
    public static int ofBody(ByteBuffer bytes, int at) {
        return bytes.getInt(at + BODY);
    }

    /**
     * Verifies the body of a frame. Releases the frame if it is damaged.
     *
     * @param expected the checksum that the peer has sent
     * @throws DamagedFrameException if the checksum does not match
     */
    public void requireBody(Frame frame, int expected) throws DamagedFrameException {
        int length = frame.length();
        int found = of(frame.bytes(), Frame.HEADER, length - Frame.HEADER);
        if (found != expected) {
            frame.release();
        }
        require("body of " + (length - Frame.HEADER) + " bytes", found, expected);
    }

    private static void require(String part, int found, int expected) throws DamagedFrameException {
        if (found != expected) {
            throw new DamagedFrameException("frame damaged on the way: checksum of its " + part + ": 0x"
                    + Integer.toHexString(found) + " (expected: 0x" + Integer.toHexString(expected) + ")");
        }
    }

    private int of(ByteBuffer bytes, int begin, int length, ByteBuffer... rest) {
        crc.reset();
        crc.update(bytes.slice(begin, length));
        for (ByteBuffer each : rest) {
            crc.update(each.duplicate());
        }
        return (int) crc.getValue();
    }
}
