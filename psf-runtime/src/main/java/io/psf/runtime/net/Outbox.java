package io.psf.runtime.net;

import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Frames on their way to a wire, small ones packed together so that they take one write. Not thread-safe. */
final class Outbox {
    /** Frames up to this length are packed. */
    static final int SMALL = 4 << 10;

    private static final int PACK = 64 << 10;

    private final FramePool pool;
    private final ArrayDeque<Frame> waiting = new ArrayDeque<>();
    /** The last one, if it has room for more small frames behind its limit. */
    private @Nullable Frame pack;
    /** What is left of the first one. */
    private @Nullable ByteBuffer first;

    private long bytes;

    Outbox(FramePool pool) {
        this.pool = pool;
    }

    /** Takes over a frame. */
    void add(Frame frame) {
        int length = frame.length();
        bytes += length;
        if (length > SMALL) {
            waiting.add(frame);
            pack = null;
            return;
        }
        if (pack == null || pack.bytes().capacity() - pack.bytes().limit() < length) {
            pack = pool.acquire(PACK);
            pack.bytes().limit(0);
            waiting.add(pack);
        }
        ByteBuffer into = pack.bytes();
        int at = into.limit();
        into.limit(at + length);
        into.put(at, frame.bytes(), 0, length);
        frame.release();
    }

    /** Bytes that have not been written. */
    long bytes() {
        return bytes;
    }

    /**
     * Writes what there is room for.
     *
     * @return how many bytes
     */
    long writeTo(Wire wire) throws IOException {
        long before = bytes;
        while (!waiting.isEmpty()) {
            if (first == null) {
                // One that is kept for another sending has a position of its own for this one.
                ByteBuffer shared = waiting.getFirst().bytes();
                first = waiting.getFirst().isShared() ? shared.duplicate() : shared;
                first.position(0);
            }
            bytes -= wire.write(first);
            if (first.hasRemaining()) {
                break;
            }
            first = null;
            Frame done = waiting.removeFirst();
            if (done == pack) {
                pack = null;
            }
            done.release();
        }
        return before - bytes;
    }

    /** Gives up what has not been written. */
    void clear() {
        waiting.forEach(Frame::release);
        waiting.clear();
        pack = null;
        first = null;
        bytes = 0;
    }
}
