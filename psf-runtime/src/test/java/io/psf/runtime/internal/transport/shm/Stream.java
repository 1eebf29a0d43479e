package io.psf.runtime.internal.transport.shm;

import io.psf.runtime.GivenTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Bytes that follow from a seed and their place, written and checked in steps of random sizes. */
final class Stream {
    /** The longest time, of those that this process is given, in which nothing moves. */
    private static final long STALL = TimeUnit.SECONDS.toNanos(30);

    private final long seed;
    private final int longest;
    private final Random sizes;
    private final ByteBuffer piece;
    private long position;
    private long movedAt = GivenTime.nanos();

    /** A stream whose pieces have at most so many bytes; in memory on the heap or off it, as the seed says. */
    Stream(long seed, int longest) {
        this.seed = seed;
        this.longest = longest;
        this.sizes = new Random(seed);
        this.piece = sizes.nextBoolean() ? ByteBuffer.allocate(longest) : ByteBuffer.allocateDirect(longest);
        piece.limit(0);
    }

    long position() {
        return position;
    }

    /** Writes the next bytes, as many as there is room for; returns whether there was any. */
    boolean write(SharedPipe pipe) throws IOException {
        if (!piece.hasRemaining()) {
            piece.clear().limit(1 + sizes.nextInt(longest));
            for (int i = 0; i < piece.limit(); i++) {
                piece.put(i, expected(position + i));
            }
        }
        int before = piece.position();
        int count = pipe.write(piece);
        if (piece.position() - before != count) {
            throw new AssertionError("written: " + count + " (expected: " + (piece.position() - before) + ")");
        }
        return moved(count);
    }

    /** Reads some bytes and checks them all; returns whether there were any. */
    boolean read(SharedPipe pipe) throws IOException {
        piece.clear().limit(1 + sizes.nextInt(longest));
        int count = pipe.read(piece);
        if (piece.position() != count) {
            throw new AssertionError("read: " + count + " (expected: " + piece.position() + ")");
        }
        for (int i = 0; i < count; i++) {
            if (piece.get(i) != expected(position + i)) {
                throw new AssertionError("seed " + seed + ", byte " + (position + i) + ": " + piece.get(i)
                        + " (expected: " + expected(position + i) + ")");
            }
        }
        return moved(count);
    }

    private boolean moved(int count) {
        position += count;
        if (count > 0) {
            movedAt = GivenTime.nanos();
        }
        return count > 0;
    }

    /** Writes up to a position, waiting for room. */
    void writeTo(SharedPipe pipe, long end) throws IOException {
        while (position < end) {
            if (!write(pipe)) {
                pause();
            }
        }
    }

    /** Reads up to a position or some bytes beyond, waiting for bytes. */
    void readTo(SharedPipe pipe, long end) throws IOException {
        while (position < end) {
            if (!read(pipe)) {
                pause();
            }
        }
    }

    /** Writes one and reads another at the same end until both have come so far. */
    static void exchange(SharedPipe pipe, Stream in, Stream out, long end) throws IOException {
        while (in.position < end || out.position < end) {
            boolean moved = out.position < end && out.write(pipe);
            moved |= in.read(pipe);
            if (moved) {
                in.movedAt = GivenTime.nanos();
            } else {
                in.pause();
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the other side may need this core
    private void pause() {
        if (GivenTime.nanos() - movedAt > STALL) {
            throw new AssertionError("seed " + seed + ": nothing moves at byte " + position);
        }
        Thread.yield();
    }

    /** The byte at a position. */
    private byte expected(long at) {
        long mixed = (at + seed) * 0x9E3779B97F4A7C15L;
        return (byte) (mixed >>> 56);
    }
}
