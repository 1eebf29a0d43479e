package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The writing end of one direction of a {@link SharedPipe}, whose documentation describes the protocol. */
final class RingWriter {
    /** The number of bytes after which they are published to the reader, so that both sides copy at the same time. */
    static final int PIECE = 32 << 10;

    private final Ring ring;

    /** Bytes written so far. A local count, independent of the shared memory. */
    private long position;

    /** Bytes taken so far, as of the last read of the reader's count. May be stale. */
    private long taken;

    RingWriter(Ring ring) {
        this.ring = ring;
    }

    int write(ByteBuffer from) throws IOException {
        ring.requireWhole();
        int start = from.position();
        try {
            while (from.hasRemaining()) {
                int piece = freeCapacity(Math.min(from.remaining(), PIECE));
                if (piece == 0) {
                    break;
                }
                ring.put(position, from, piece);
                position += piece;
                ring.written(position);
            }
        } catch (InternalError e) {
            throw ring.gone(e);
        }
        return from.position() - start;
    }

    @Nullable
    ByteBuffer reserve(int length) throws IOException {
        ring.requireWhole();
        try {
            int end = ring.untilEnd(position);
            int gap = end < length ? end : 0;
            if (freeCapacity(gap + length) < gap + length) {
                return null;
            }
            if (gap > 0) {
                ring.setWord(position, SharedPipe.gap(gap));
                position += gap; // published to the reader with the bytes that follow
            }
            return ring.view(position, length);
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    void commit(int length) throws IOException {
        try {
            position += length;
            ring.written(position);
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    int mostWhole() {
        return ring.capacity() / 2;
    }

    /**
     * True if {@link #reserve} would find enough free capacity even with a gap. A racy estimate; any thread may call
     * it.
     */
    boolean hasCapacity(int length) {
        try {
            return ring.capacity() - (ring.written() - ring.taken()) >= 2L * length;
        } catch (InternalError e) {
            return true; // the next write then fails
        }
    }

    IOException gone(InternalError e) {
        return ring.gone(e);
    }

    boolean readerToBeWoken() throws IOException {
        ring.requireWhole();
        try {
            return ring.takeSleepingReader();
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    boolean prepareToWait(int wanted) throws IOException {
        ring.requireWhole();
        try {
            ring.writerWaits(true);
            if (freeCapacity(wanted) < wanted) {
                return true;
            }
            ring.writerWaits(false);
            return false;
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    /**
     * Returns the free bytes, at most those wanted. Reads the reader's count only if the last one read does not
     * suffice.
     */
    private int freeCapacity(int wanted) throws IOException {
        if (ring.capacity() - (position - taken) < wanted) {
            long now = ring.taken();
            if (now < taken || now > position) {
                throw ring.broken(
                        "bytes taken from the ring: " + now + " (expected: " + taken + " to " + position + ")", null);
            }
            taken = now;
        }
        return (int) Math.min(ring.capacity() - (position - taken), wanted);
    }
}
