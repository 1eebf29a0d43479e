package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
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
    /** Makes the checksums of the frames; null if they have none. */
    private @Nullable Checksum checksum;

    /** The bytes in front of each frame. */
    private int prefix;
    /** The bytes of prefixes that the methods that write have not left out yet. */
    private long prefixes;

    Outbox(FramePool pool) {
        this.pool = pool;
    }

    /**
     * Adds a checksum to each frame that is added from now on, after a frame that says so.
     *
     * @return false if that was done before
     */
    boolean useChecksums() {
        if (checksum != null) {
            return false;
        }
        add(Frames.check(pool));
        prefixes += Frame.HEADER; // no sender knows of that frame either
        checksum = new Checksum();
        prefix = Checksum.PREFIX;
        return true;
    }

    /** Takes ownership of a frame. */
    void add(Frame frame) {
        int length = frame.length();
        if (checksum != null) {
            addPrefix(checksum, frame, length);
        }
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

    private void addPrefix(Checksum sums, Frame frame, int length) {
        boolean packed = length <= SMALL;
        ByteBuffer into = packed ? packWithCapacity(prefix + length) : pool.take(prefix);
        int at = packed ? into.limit() : 0;
        into.limit(at + prefix);
        sums.write(into, at, frame.bytes(), 0, length);
        if (!packed) {
            add(into, pool);
        }
        countPrefix();
    }

    private void countPrefix() {
        bytes += prefix;
        prefixes += prefix;
    }

    /** Returns the number of bytes written without the prefixes, which no sender knows of. */
    private long withoutPrefixes(long written) {
        long left = Math.min(written, prefixes);
        prefixes -= left;
        return written - left;
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
    long write(Draft draft, ByteWire wire) throws IOException {
        ByteBuffer tail = bytes == 0 ? draft.tail() : null;
        if (tail == null) {
            return -1;
        }
        ByteBuffer head = pool.take(prefix + draft.length() - tail.remaining());
        try {
            draft.writeHeadTo(head.position(prefix));
            if (checksum != null) {
                checksum.write(head, 0, head, prefix, head.position() - prefix, tail);
                prefixes += prefix;
            }
            long written = wire.write(head.flip(), tail);
            int left = head.remaining() + tail.remaining();
            if (left > 0) {
                addRest(head, tail);
                bytes += left;
            }
            return withoutPrefixes(written);
        } finally {
            pool.giveBack(head);
        }
    }

    /** Adds the rest of a frame. If that fails, no other frame may follow: the peer would take it for the rest. */
    private void addRest(ByteBuffer head, ByteBuffer tail) throws IOException {
        try {
            ByteBuffer rest = pool.take(head.remaining() + tail.remaining());
            add(rest.put(head).put(tail).flip(), pool);
        } catch (OutOfMemoryError e) {
            throw new IOException("no memory for the rest of a frame: " + e, e);
        }
    }

    private boolean addWhole(Draft draft, int length) {
        ByteBuffer whole = pool.take(prefix + length);
        boolean added = false;
        try {
            added = draft.writeTo(whole.position(prefix));
        } finally {
            if (!added) {
                pool.giveBack(whole);
            }
        }
        if (added) {
            writePrefix(whole, 0, length);
            add(whole.flip(), pool);
        }
        return added;
    }

    private boolean addToPack(Draft draft, int length) {
        ByteBuffer into = packWithCapacity(prefix + length);
        int unwritten = into.position();
        int end = into.limit();
        int whole = end + prefix + length;
        boolean added = false;
        try {
            added = draft.writeTo(into.limit(whole).position(end + prefix));
        } finally {
            into.limit(added ? whole : end).position(unwritten);
        }
        if (added) {
            writePrefix(into, end, length);
        }
        return added;
    }

    /** Writes the prefix of a frame that is behind it in a buffer. */
    private void writePrefix(ByteBuffer into, int at, int length) {
        if (checksum != null) {
            checksum.write(into, at, into, at + prefix, length);
            countPrefix();
        }
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
        owners.add(owner);
        try {
            waiting.add(whole);
        } catch (OutOfMemoryError e) { // either both or none
            owners.removeLast();
            throw e;
        }
        pack = null;
    }

    /** Returns the bytes that have not been written. */
    long bytes() {
        return bytes;
    }

    /**
     * Writes as much as the wire takes. Does not block.
     *
     * @return the number of bytes, without the bytes of prefixes
     */
    long writeTo(ByteWire wire) throws IOException {
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
        return withoutPrefixes(before - bytes);
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
        prefixes = 0;
    }
}
