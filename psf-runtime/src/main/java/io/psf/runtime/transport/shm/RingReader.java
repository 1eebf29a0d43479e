package io.psf.runtime.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The reading end of one direction of a {@link SharedPipe}, which describes it. */
final class RingReader {
    /** Bytes after which the writer is given the room, so that it copies while the reader does. */
    static final int PIECE = RingWriter.PIECE;

    private final Ring ring;

    /** Bytes taken so far: our own count, whatever the memory says. */
    private long position;

    /** Bytes written so far, when the writer's count was last looked at. */
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

    /** Bytes there, if not more than are wanted; looks at the writer's count only if there seem to be fewer. */
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
