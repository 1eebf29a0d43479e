package io.psf.runtime.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The writing end of one direction of a {@link SharedPipe}, which describes it. */
final class RingWriter {
    /** Bytes after which the reader is shown what there is, so that it copies while the writer does. */
    static final int PIECE = 32 << 10;

    private final Ring ring;

    /** Bytes written so far: our own count, whatever the memory says. */
    private long position;

    /** Bytes taken so far, when the reader's count was last looked at. */
    private long taken;

    RingWriter(Ring ring) {
        this.ring = ring;
    }

    int write(ByteBuffer from) throws IOException {
        ring.requireWhole();
        int start = from.position();
        try {
            while (from.hasRemaining()) {
                int piece = room(Math.min(from.remaining(), PIECE));
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
            if (room(gap + length) < gap + length) {
                return null;
            }
            if (gap > 0) {
                ring.setWord(position, SharedPipe.gap(gap));
                position += gap; // shown to the reader with what follows
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

    /** Whether {@link #reserve} would find room, gap and all; by any thread. */
    boolean hasRoom(int length) {
        try {
            return ring.capacity() - (ring.written() - ring.taken()) >= 2L * length;
        } catch (InternalError e) {
            return true; // writing then fails
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
            if (room(wanted) < wanted) {
                return true;
            }
            ring.writerWaits(false);
            return false;
        } catch (InternalError e) {
            throw ring.gone(e);
        }
    }

    /** Room, if not for more than is wanted; looks at the reader's count only if there seems to be less. */
    private int room(int wanted) throws IOException {
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
