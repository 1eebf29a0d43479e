package io.psf.fuzz;

import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes as arrays of bytes. */
public final class Bytes {
    private static final int REQUEST = 0xB1;
    private static final int DONE = 0xB3;
    private static final int CHAIN = 0xB4;
    private static final int LINK = 0xB5;
    private static final int PING = 0xB7;
    private static final int CHECK = 0xB8;
    private static final int KIND = 4;
    private static final int SLICE = 20;
    private static final int CALL = 24;
    private static final int WORD = 32;
    private static final int BLOCK_LENGTH = 40;

    private Bytes() {}

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
        int length = length(bytes, at);
        boolean flags = bytes[at + 5] == 0 || (bytes[at + KIND] & 0xff) == REQUEST;
        return hasKind(bytes, at) && flags && length >= Frame.HEADER && length % 8 == 0;
    }

    /** Whether what stands at a place begins as a frame does: 8 bytes tell. */
    public static boolean hasKind(byte[] bytes, int at) {
        int kind = bytes[at + KIND] & 0xff;
        return kind >= REQUEST && kind <= LINK || kind == PING || kind == CHECK;
    }

    /** Whether a frame is a request. */
    public static boolean isRequest(byte[] frame) {
        return (frame[KIND] & 0xff) == REQUEST;
    }

    /** Whether a frame says that those behind it have checksums. */
    public static boolean isCheck(byte[] frame) {
        return (frame[KIND] & 0xff) == CHECK;
    }

    /** The length that a frame's header says. */
    public static int length(byte[] bytes, int at) {
        return little(bytes).getInt(at);
    }

    /**
     * How many answers a frame to a server gets: one to each request, and to what is none.
     *
     * @param firstCall the requests are given numbers from here on: a call that comes twice is answered once; and soon
     *     ends, so that what is answered late is late soon
     */
    public static int answers(byte[] frame, long firstCall) {
        int kind = frame[KIND] & 0xff;
        if (kind == DONE) {
            return 0;
        } else if (kind != CHAIN) {
            prepare(frame, 0, firstCall);
            return 1;
        }
        int requests = 0;
        for (int at = Frame.HEADER; at < frame.length; at += length(frame, at)) {
            boolean isRequest = frame.length - at >= Frame.HEADER
                    && hasHeader(frame, at)
                    && length(frame, at) <= frame.length - at
                    && (frame[at + KIND] & 0xff) == REQUEST;
            if (!isRequest) {
                return 1;
            }
            prepare(frame, at, firstCall + requests++);
        }
        return Math.max(1, requests);
    }

    private static void prepare(byte[] frame, int at, long call) {
        ByteBuffer bytes = little(frame);
        bytes.putLong(at + CALL, call).putInt(at + WORD, Math.min(500, bytes.getInt(at + WORD)));
    }

    /** Requests as a chain. */
    public static byte[] chain(byte[] a, byte[] b) {
        byte[] frame = new byte[Frame.HEADER + a.length + b.length];
        little(frame)
                .putInt(0, frame.length)
                .put(KIND, (byte) CHAIN)
                .position(Frame.HEADER)
                .put(a)
                .put(b);
        return frame;
    }

    /** Requests as a chain that is a step of a task. */
    public static byte[] step(byte[] a, byte[] b, int number, int after) {
        byte[] frame = chain(a, b);
        little(frame).putLong(CALL, 7).putInt(WORD, number).putInt(SLICE, after);
        return frame;
    }

    /** A sign of life. */
    public static byte[] ping() {
        byte[] frame = new byte[Frame.HEADER];
        little(frame).putInt(0, frame.length).put(KIND, (byte) PING);
        return frame;
    }

    /** Whether a frame is a sign of life. */
    public static boolean isPing(byte[] frame) {
        return (frame[KIND] & 0xff) == PING;
    }

    /** That the worker is done with the calls 1 and 2. */
    public static byte[] done() {
        byte[] frame = new byte[Frame.HEADER + 24];
        little(frame)
                .putInt(0, frame.length)
                .put(KIND, (byte) DONE)
                .putInt(BLOCK_LENGTH, 20)
                .position(Frame.HEADER)
                .putInt(2)
                .putLong(1)
                .putLong(2);
        return frame;
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
