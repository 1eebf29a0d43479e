package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The reading end of one direction of a {@link SharedPipe}, whose documentation describes the protocol. */
final class RingReader {
    /**
     * The number of bytes after which their space is released to the writer, so that both sides copy at the same time.
     */
    static final int PIECE = RingWriter.PIECE;

    private final Ring ring;

    /** Bytes read so far. A local count, independent of the shared memory. */
    private long position;

    /** Bytes written so far, as of the last read of the writer's count. May be stale. */
    private long written;

    RingReader(Ring ring) {
        this.ring = ring;
    }

    int read(ByteBuffer into) throws IOException {
        ring.requireWhole();
        int start = into.position();
        try {
            while (into.hasRemaining()) {
                int piece = available(Math.min(into.remaining(), PIECE));
                if (piece == 0) {
                    break;
                }
                ring.get(position, into, piece);
                position += piece;
                ring.taken(position);
            }
        } catch (InternalError e) {
            throw ring.gone(e);
        }
        return into.position() - start;
    }

    boolean writerToBeWoken() throws IOException {
        ring.requireWhole();
        try {
            return ring.takeWaitingWriter();
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    int there(int wanted) throws IOException {
        ring.requireWhole();
        try {
            return available(wanted);
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    long word() throws IOException {
        try {
            return ring.word(position);
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    int untilEnd() {
        return ring.untilEnd(position);
    }

    ByteBuffer view(int length) {
        return ring.view(position, length);
    }

    void skip(int length) throws IOException {
        try {
            position += length;
            ring.taken(position);
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    boolean prepareToSleep(int known) throws IOException {
        ring.requireWhole();
        try {
            ring.readerSleeps(true);
            if (available(known + 1) <= known) {
                return true;
            }
            ring.readerSleeps(false);
            return false;
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    /**
     * Returns the available bytes, at most those wanted. Reads the writer's count only if the last one read does not
     * suffice.
     */
    private int available(int wanted) throws IOException {
        if (written - position < wanted) {
            long now = ring.written();
            if (now < written || now - position > ring.capacity()) {
                throw ring.broken(
                        "bytes written to the ring: " + now + " (expected: " + written + " to "
                                + (position + ring.capacity()) + ")",
                        null);
            }
            written = now;
        }
        return (int) Math.min(written - position, wanted);
    }
}
