package io.psf.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A fuzzer's bytes read as a script: which valid frame to begin with, and what to change in it. So that a small change
 * of the script is a small change of a frame that is still nearly valid. A script that has ended reads as zeros.
 */
public final class Script {
    private static final int HEADER = 48;
    private static final int LONGEST = 1 << 16;
    private static final int[] NUMBERS = {
        0, 1, -1, 2, 4, 8, 47, 48, 0x7f, 0xff, 0xffff, 1 << 20, 1 << 28, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE
    };

    private final ByteBuffer bytes;

    /** A script of those bytes. */
    public Script(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether there is more. */
    public boolean hasMore() {
        return bytes.hasRemaining();
    }

    /** The next byte, from 0 to 255. */
    public int next() {
        return bytes.hasRemaining() ? bytes.get() & 0xff : 0;
    }

    private int number() {
        int n = 0;
        for (int i = 0; i < 4; i++) {
            n |= next() << 8 * i;
        }
        return n;
    }

    /** All that is left, as it is. */
    public byte[] rest() {
        byte[] rest = new byte[bytes.remaining()];
        bytes.get(rest);
        return rest;
    }

    /** A frame with up to 15 edits; most of the time its length is right again in the end. */
    public byte[] edited(byte[] frame) {
        Frames.count();
        int edits = next();
        byte[] now = edited(frame, edits & 15);
        return (edits & 16) == 0 ? whole(now) : now;
    }

    /** Bytes that are no frame, with up to 15 edits. */
    public byte[] changed(byte[] bytes) {
        return edited(bytes, next() & 15);
    }

    private byte[] edited(byte[] bytes, int edits) {
        byte[] now = bytes.clone();
        for (int i = 0; i < edits && hasMore(); i++) {
            now = edit(now);
        }
        return now;
    }

    private byte[] edit(byte[] frame) {
        int what = next();
        if (frame.length == 0) {
            return frame;
        }
        int at = (next() | next() << 8) % frame.length;
        ByteBuffer view = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int aligned = Math.min(at & ~3, frame.length - 4);
        switch (what & 7) {
            case 0 -> frame[at] ^= (byte) (1 << (what >> 3 & 7));
            case 1 -> frame[at] = (byte) next();
            case 2 -> put(view, aligned, NUMBERS[what >> 3 & 15]);
            case 3 -> put(view, aligned, number());
            case 4 -> put(view, aligned, aligned < 0 ? 0 : view.getInt(aligned) + (what >> 3) - 16);
            case 5 -> put(view, aligned, frame.length + (what >> 3) - 16);
            case 6 -> {
                return insert(frame, at, 1 + next());
            }
            default -> {
                return cut(frame, at, 1 + next());
            }
        }
        return frame;
    }

    private static void put(ByteBuffer view, int at, int value) {
        if (at >= 0) {
            view.putInt(at, value);
        }
    }

    /** Repeats what stands at a place: n bytes more. */
    private static byte[] insert(byte[] frame, int at, int n) {
        if (frame.length + n > LONGEST) {
            return frame;
        }
        byte[] longer = Arrays.copyOf(frame, frame.length + n);
        System.arraycopy(frame, at, longer, at + n, frame.length - at);
        return longer;
    }

    private static byte[] cut(byte[] frame, int at, int n) {
        int end = Math.min(frame.length, at + n);
        byte[] shorter = Arrays.copyOf(frame, frame.length - (end - at));
        System.arraycopy(frame, end, shorter, at, frame.length - end);
        return shorter;
    }

    /** The same with a length that is true, of frames a multiple of 8. */
    private static byte[] whole(byte[] frame) {
        byte[] padded = Arrays.copyOf(frame, Math.max(HEADER, (frame.length + 7) & ~7));
        ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN).putInt(0, padded.length);
        return padded;
    }
}
