package io.psf.runtime.transport.net;

import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Frames on their way to a wire, small ones packed together so that they take one write. Not thread-safe. */
final class Outbox {
    /** Frames up to this length are packed. */
    static final int SMALL = 4 << 10;

    private static final int PACK = 32 << 10;

    private final FramePool pool;
    /** What is to be written, each from its position to its limit. */
    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    /** Whose memory each of those is: a frame's, or the pool's. */
    private final ArrayDeque<Object> owners = new ArrayDeque<>();
    /** The last one, if it has room for more small frames behind its limit. */
    private @Nullable ByteBuffer pack;

    private long bytes;

    Outbox(FramePool pool) {
        this.pool = pool;
    }

    /** Takes over a frame. */
    void add(Frame frame) {
        int length = frame.length();
        if (length > SMALL) {
            // One that is kept for another sending has a position of its own for this one.
            ByteBuffer whole = frame.isShared() ? frame.bytes().duplicate() : frame.bytes();
            add(whole.position(0), frame);
        } else {
            ByteBuffer into = packWithRoom(length);
            int end = into.limit();
            into.limit(end + length);
            into.put(end, frame.bytes(), 0, length);
            frame.release();
        }
        bytes += length;
    }

    /**
     * Writes a draft.
     *
     * @return false if it is not to be sent after all
     */
    boolean add(Draft draft) {
        int length = draft.length();
        boolean added = length > SMALL ? addWhole(draft, length) : addToPack(draft, length);
        bytes += added ? length : 0;
        return added;
    }

    /**
     * Writes a draft to a wire from where its bytes lie, if nothing else waits and its end need not be copied; what the wire
     * does not take now waits.
     *
     * @return how many bytes were written; -1 if this draft cannot be written so
     */
    long write(Draft draft, Wire wire) throws IOException {
        ByteBuffer tail = bytes == 0 ? draft.tail() : null;
        if (tail == null) {
            return -1;
        }
        ByteBuffer head = pool.take(draft.length() - tail.remaining());
        try {
            draft.writeHeadTo(head);
            long written = wire.write(head.flip(), tail);
            int left = head.remaining() + tail.remaining();
            if (left > 0) {
                ByteBuffer rest = pool.take(left);
                add(rest.put(head).put(tail).flip(), pool);
                bytes += left;
            }
            return written;
        } finally {
            pool.giveBack(head);
        }
    }

    private boolean addWhole(Draft draft, int length) {
        ByteBuffer whole = pool.take(length);
        boolean added = draft.writeTo(whole);
        if (added) {
            add(whole.flip(), pool);
        } else {
            pool.giveBack(whole);
        }
        return added;
    }

    private boolean addToPack(Draft draft, int length) {
        ByteBuffer into = packWithRoom(length);
        int unwritten = into.position();
        int end = into.limit();
        boolean added = false;
        try {
            added = draft.writeTo(into.limit(end + length).position(end));
        } finally {
            into.limit(added ? end + length : end).position(unwritten);
        }
        return added;
    }

    private ByteBuffer packWithRoom(int length) {
        ByteBuffer last = pack;
        if (last == null || last.capacity() - last.limit() < length) {
            last = pool.take(PACK).limit(0);
            add(last, pool);
            pack = last;
        }
        return last;
    }

    private void add(ByteBuffer whole, Object owner) {
        waiting.add(whole);
        owners.add(owner);
        pack = null;
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
        while (bytes > 0) {
            ByteBuffer first = waiting.getFirst();
            bytes -= first.hasRemaining() ? wire.write(first) : 0;
            if (first.hasRemaining()) {
                break;
            }
            if (pack != null && waiting.size() == 1) {
                first.clear().limit(0); // for the next ones
            } else {
                removeFirst();
            }
        }
        return before - bytes;
    }

    private void removeFirst() {
        ByteBuffer first = waiting.removeFirst();
        if (owners.removeFirst() instanceof Frame frame) {
            frame.release();
        } else {
            pool.giveBack(first);
        }
    }

    /** Gives up what has not been written. */
    void clear() {
        while (!waiting.isEmpty()) {
            removeFirst();
        }
        pack = null;
        bytes = 0;
    }
}
