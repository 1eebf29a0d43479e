package io.psf.fuzz;

import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Frames as arrays of bytes. */
public final class Frames {
    private static final int CALL = 24;

    private Frames() {}

    /** A frame as it stands once all of it has arrived. */
    public static Frame arrived(FramePool pool, byte[] bytes) {
        Frame frame = Frame.arriving(pool, bytes.length);
        frame.bytes().put(bytes).flip();
        return frame;
    }

    /** Whether the decoder would take it as one frame. */
    public static boolean isWhole(byte[] bytes) {
        return bytes.length >= Frame.HEADER && hasHeader(bytes, 0) && length(bytes, 0) == bytes.length;
    }

    /** Whether what stands at a place is the header of a frame, by the protocol's page. */
    public static boolean hasHeader(byte[] bytes, int at) {
        int kind = bytes[at + 4] & 0xff;
        int length = length(bytes, at);
        return kind >= 0xB1 && kind <= 0xB3 && bytes[at + 5] == 0 && length >= Frame.HEADER && length % 8 == 0;
    }

    /** The length that a frame's header says. */
    public static int length(byte[] bytes, int at) {
        return little(bytes).getInt(at);
    }

    /** The call's number. */
    public static long call(byte[] frame) {
        return little(frame).getLong(CALL);
    }

    /** The same frame with another call's number. */
    public static byte[] withCall(byte[] frame, long call) {
        byte[] copy = frame.clone();
        little(copy).putLong(CALL, call);
        return copy;
    }

    /** A frame's bytes to read and write. */
    public static ByteBuffer little(byte[] frame) {
        return ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
    }
}
