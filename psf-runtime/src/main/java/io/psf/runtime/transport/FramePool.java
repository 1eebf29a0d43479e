package io.psf.runtime.transport;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps direct buffers of frames for their next use, since a first touch of fresh memory costs several times as much as
 * the bytes that are written to it. Buffers are the garbage collector's: one that is never given back is not lost, and
 * a view that outlives its frame reads another frame's bytes but never freed memory. Idle buffers are dropped when
 * buffers of another size are wanted and the pool owns as much as it may. Thread-safe.
 */
public final class FramePool implements Frame.Lender {
    /** Tiny frames, such as most answers to pushes, take this much. */
    private static final int TINY = 256;

    private static final int TINIEST = 8;
    private static final int SMALLEST = 10;

    /** Beyond the power of two, for a header: arrays of such sizes are common. */
    private static final int SLACK = 512;

    private static final int LARGEST = 30;

    /** By size; each its own lock, since linked nodes would be garbage of every frame. */
    private final ArrayDeque<ByteBuffer>[] kept = newDeques();

    /** Bytes that are kept unused. */
    private final AtomicLong keptBytes = new AtomicLong();
    /** Bytes that are in use or kept. */
    private final AtomicLong ownedBytes = new AtomicLong();

    private final long mostKept;
    private final long bound;
    private volatile boolean wanted;
    private volatile Runnable onGivenBack = () -> {};

    /**
     * A pool without a bound on what is in use.
     *
     * @param mostKept the most bytes that are kept unused
     */
    public FramePool(long mostKept) {
        this(mostKept, Long.MAX_VALUE);
    }

    /**
     * A pool.
     *
     * @param mostKept the most bytes that are kept unused
     * @param bound the most bytes that should be in use and kept: idle buffers are dropped to stay below it. A buffer that
     *     is asked for is given all the same
     */
    public FramePool(long mostKept, long bound) {
        this.mostKept = mostKept;
        this.bound = bound;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no generic arrays
    private static ArrayDeque<ByteBuffer>[] newDeques() {
        ArrayDeque<ByteBuffer>[] deques = new ArrayDeque[LARGEST + 1];
        for (int i = 0; i < deques.length; i++) {
            deques[i] = new ArrayDeque<>();
        }
        return deques;
    }

    /** A frame with room for so many bytes, its content undefined. */
    public Frame acquire(int length) {
        return new Frame(take(length), this);
    }

    /** Room for so many little-endian bytes, their content undefined, until it is {@link #giveBack given back}. */
    public ByteBuffer take(int length) {
        int size = sizeClass(length);
        ByteBuffer buffer = poll(size);
        return (buffer == null ? allocate(capacity(length, size)) : buffer.clear()).limit(length);
    }

    private @Nullable ByteBuffer poll(int size) {
        if (size > LARGEST) {
            return null;
        }
        ByteBuffer buffer;
        synchronized (kept[size]) {
            buffer = kept[size].pollFirst();
        }
        if (buffer != null) {
            keptBytes.addAndGet(-buffer.capacity());
        }
        return buffer;
    }

    private ByteBuffer allocate(int capacity) {
        long excess = ownedBytes.addAndGet(capacity) - bound;
        if (excess > 0) {
            dropKept(excess);
        }
        try {
            return direct(capacity);
        } catch (Throwable e) {
            ownedBytes.addAndGet(-capacity);
            throw e;
        }
    }

    private ByteBuffer direct(int capacity) {
        try {
            return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
        } catch (OutOfMemoryError e) {
            if (dropKept(Long.MAX_VALUE) == 0) {
                throw e;
            }
            return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /**
     * Drops idle buffers, the largest first. The garbage collector frees them, which an allocation that finds no memory
     * waits for.
     *
     * @return how many bytes were dropped
     */
    private long dropKept(long enough) {
        long dropped = 0;
        for (int size = LARGEST; size >= TINIEST && dropped < enough; size--) {
            for (ByteBuffer idle = poll(size); idle != null; idle = dropped < enough ? poll(size) : null) {
                dropped += idle.capacity();
            }
        }
        ownedBytes.addAndGet(-dropped);
        return dropped;
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        int capacity = buffer.capacity();
        int size = sizeClass(capacity);
        if (size <= LARGEST && keptBytes.get() + capacity <= mostKept && ownedBytes.get() <= bound) {
            keptBytes.addAndGet(capacity);
            synchronized (kept[size]) {
                kept[size].addFirst(buffer);
            }
        } else {
            ownedBytes.addAndGet(-capacity);
        }
        if (wanted) {
            onGivenBack.run();
        }
    }

    /** A buffer that is in use is left to the garbage collector. */
    public void abandon(ByteBuffer buffer) {
        ownedBytes.addAndGet(-buffer.capacity());
        if (wanted) {
            onGivenBack.run();
        }
    }

    /** Bytes that are kept unused. */
    public long keptBytes() {
        return keptBytes.get();
    }

    /** Bytes that are in use. */
    public long usedBytes() {
        return ownedBytes.get() - keptBytes.get();
    }

    /** The most bytes that should be in use and kept. */
    public long bound() {
        return bound;
    }

    /** Whether what is in use is bounded, by those who ask before they take. */
    boolean isBounded() {
        return bound < Long.MAX_VALUE;
    }

    /** Told, while memory is {@link #want wanted}, that some was given back; returns at once, and takes no locks. */
    public void onGivenBack(Runnable told) {
        onGivenBack = told;
    }

    /** Whether somebody is to be told of memory that is given back. */
    public void want(boolean wanted) {
        this.wanted = wanted;
    }

    /** How much memory a frame takes. */
    public static int capacity(int length) {
        return capacity(length, sizeClass(length));
    }

    private static int capacity(int length, int size) {
        return size == TINIEST ? TINY : size > LARGEST ? length : (1 << size) + SLACK;
    }

    private static int sizeClass(int length) {
        return length <= TINY
                ? TINIEST
                : Math.max(SMALLEST, 32 - Integer.numberOfLeadingZeros(Math.max(1, length - SLACK) - 1));
    }
}
