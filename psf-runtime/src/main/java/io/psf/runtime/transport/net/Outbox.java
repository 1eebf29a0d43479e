package io.psf.runtime.transport.net;

import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The frames that wait to be written to a wire. Small frames are packed together, to be written at once. Not
 * thread-safe.
 */
final class Outbox {
    /** Frames up to this length are packed. */
    static final int SMALL = 4 << 10;

    private static final int PACK = 32 << 10;

    private final FramePool pool;
    /** The buffers to be written, each from its position to its limit. */
    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    /** The owner of each of those buffers: a frame, or the pool. */
    private final ArrayDeque<Object> owners = new ArrayDeque<>();
    /** The last buffer, if it has capacity for more small frames after its limit; else null. */
    private @Nullable ByteBuffer pack;

    private long bytes;

    Outbox(FramePool pool) {
        this.pool = pool;
    }

    /** Takes ownership of a frame. */
    void add(Frame frame) {
        int length = frame.length();
        if (length > SMALL) {
            // A frame that is retained to be sent again needs a separate position for this send.
            ByteBuffer whole = frame.isShared() ? frame.bytes().duplicate() : frame.bytes();
            add(whole.position(0), frame);
        } else {
            ByteBuffer into = packWithCapacity(length);
            int end = into.limit();
            into.limit(end + length);
            into.put(end, frame.bytes(), 0, length);
            frame.release();
        }
        bytes += length;
    }

    /**
     * Writes a draft to memory.
     *
     * @return false if it has become unnecessary and is not sent
     */
    boolean add(Draft draft) {
        int length = draft.length();
        boolean added = length > SMALL ? addWhole(draft, length) : addToPack(draft, length);
        bytes += added ? length : 0;
        return added;
    }

    /**
     * Writes a draft to a wire without copying its tail, if no other frame waits and the draft has a tail. What the
     * wire does not take now is copied and waits.
     *
     * @return the number of bytes written; -1 if this draft cannot be written in this way
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
        boolean added = false;
        try {
            added = draft.writeTo(whole);
        } finally {
            if (!added) {
                pool.giveBack(whole);
            }
        }
        if (added) {
            add(whole.flip(), pool);
        }
        return added;
    }

    private boolean addToPack(Draft draft, int length) {
        ByteBuffer into = packWithCapacity(length);
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

    private ByteBuffer packWithCapacity(int length) {
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

    /** Returns the bytes that have not been written. */
    long bytes() {
        return bytes;
    }

    /**
     * Writes as much as the wire takes. Does not block.
     *
     * @return the number of bytes
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
                first.clear().limit(0); // reused for the next small frames
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

    /** Drops the frames that have not been written. */
    void clear() {
        while (!waiting.isEmpty()) {
            removeFirst();
        }
        pack = null;
        bytes = 0;
    }
}
