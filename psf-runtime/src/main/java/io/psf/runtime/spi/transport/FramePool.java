package io.psf.runtime.spi.transport;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Retains direct buffers of frames for reuse, since the first access to fresh memory costs several times as much as the
 * writing of the bytes. The garbage collector owns the buffers: a buffer that is never given back does not leak, and a
 * view that is used after its frame was released reads the bytes of another frame, but never freed memory. Idle buffers
 * are dropped when a buffer of another size is needed and the pool owns as many bytes as it may. Thread-safe.
 */
public final class FramePool implements Frame.Lender {
    /** The capacity for tiny frames, such as most answers to pushes. */
    private static final int TINY = 256;

    private static final int TINIEST = 8;
    private static final int SMALLEST = 10;

    /** Bytes beyond the power of two, for a header: arrays whose sizes are powers of two are common. */
    private static final int SLACK = 512;

    private static final int LARGEST = 30;

    /** The least capacity of buffers of {@link HostMemory}, and of those that are aligned. */
    private static final int LARGE = 1 << 12;

    /** Bytes of a line of the processor's cache. Rows are copied fastest to where one begins. */
    private static final int LINE = 64;

    /** Where the array begins in a frame of one array and an empty block: the answer to a pull by key. */
    private static final int FIRST_ARRAY = Frame.HEADER + Long.BYTES;

    /**
     * Idle buffers by size class. Each deque is its own lock: the nodes of a concurrent queue would be garbage of every
     * frame.
     */
    private final ArrayDeque<ByteBuffer>[] kept = newDeques();

    /** The tiny buffer that was given back last, if no other thread has taken it: most often the next one to be needed. */
    private final AtomicReference<@Nullable ByteBuffer> latestTiny = new AtomicReference<>();

    /** Bytes of idle buffers, without that one. */
    private final AtomicLong keptBytes = new AtomicLong();
    /** Bytes of buffers in use and of idle ones. */
    private final AtomicLong ownedBytes = new AtomicLong();

    private final long mostKept;
    private final long bound;
    /** The memory of large buffers; null for ordinary direct memory. */
    private volatile @Nullable HostMemory large;

    private volatile boolean wanted;
    private volatile Runnable onGivenBack = () -> {};

    /**
     * Creates a pool without a bound on the bytes in use.
     *
     * @param mostKept the most bytes of idle buffers
     */
    public FramePool(long mostKept) {
        this(mostKept, Long.MAX_VALUE);
    }

    /**
     * Creates a pool.
     *
     * @param mostKept the most bytes of idle buffers
     * @param bound the most bytes that should be in use or idle: idle buffers are dropped to stay below it. The bound
     *     does not make an allocation fail
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

    /**
     * Allocates new buffers of at least 4 KB in a memory from now on, so that a device copies frames from and to them
     * directly.
     */
    public void allocateLarge(HostMemory memory) {
        large = memory;
    }

    /** Returns a frame with that capacity in bytes. Its content is undefined. */
    public Frame acquire(int length) {
        return new Frame(take(length), this);
    }

    /**
     * Returns a little-endian buffer of that length until it is {@link #giveBack given back}. Its content is undefined.
     */
    public ByteBuffer take(int length) {
        int size = sizeClass(length);
        ByteBuffer buffer = poll(size);
        return (buffer == null ? allocate(capacity(length, size)) : buffer.clear()).limit(length);
    }

    private @Nullable ByteBuffer poll(int size) {
        if (size > LARGEST) {
            return null;
        }
        ByteBuffer buffer = size == TINIEST ? latestTiny.getAndSet(null) : null;
        if (buffer != null) {
            return buffer;
        }
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
        HostMemory memory = capacity < LARGE ? null : large;
        ByteBuffer buffer = memory == null ? null : memory.allocate(capacity);
        return (buffer == null ? ordinary(capacity) : buffer).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer ordinary(int capacity) {
        try {
            return aligned(capacity);
        } catch (OutOfMemoryError e) {
            if (dropKept(Long.MAX_VALUE) == 0) {
                throw e;
            }
            return aligned(capacity);
        }
    }

    /** Returns new memory. In a large frame the {@link #FIRST_ARRAY} begins at a line of the cache. */
    private static ByteBuffer aligned(int capacity) {
        if (capacity < LARGE) {
            return ByteBuffer.allocateDirect(capacity);
        }
        ByteBuffer memory = ByteBuffer.allocateDirect(capacity + LINE - 1);
        return memory.slice(-memory.alignmentOffset(FIRST_ARRAY, LINE) & (LINE - 1), capacity);
    }

    /**
     * Drops idle buffers, the largest first. The garbage collector frees them; an allocation that finds no memory waits
     * for that.
     *
     * @return the bytes that were dropped
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
        if (size > LARGEST || keptBytes() + capacity > mostKept || ownedBytes.get() > bound) {
            ownedBytes.addAndGet(-capacity);
        } else if (size != TINIEST || !latestTiny.compareAndSet(null, buffer)) {
            keptBytes.addAndGet(capacity);
            synchronized (kept[size]) {
                kept[size].addFirst(buffer);
            }
        }
        if (wanted) {
            onGivenBack.run();
        }
    }

    /** Leaves a buffer that is in use to the garbage collector. */
    public void abandon(ByteBuffer buffer) {
        ownedBytes.addAndGet(-buffer.capacity());
        if (wanted) {
            onGivenBack.run();
        }
    }

    /**
     * Adds to the bytes in use: memory on the heap that frames in use have become. Negative for memory that is given
     * back.
     */
    public void count(long bytes) {
        ownedBytes.addAndGet(bytes);
        if (bytes < 0 && wanted) {
            onGivenBack.run();
        }
    }

    /** Returns the bytes of idle buffers. */
    public long keptBytes() {
        return keptBytes.get() + (latestTiny.get() == null ? 0 : TINY);
    }

    /** Returns the bytes of buffers in use. */
    public long usedBytes() {
        return ownedBytes.get() - keptBytes();
    }

    /** Returns the most bytes that should be in use or idle. */
    public long bound() {
        return bound;
    }

    /**
     * True if the bytes in use are bounded. The users of the pool enforce that: each asks before it takes a large
     * buffer.
     */
    boolean isBounded() {
        return bound < Long.MAX_VALUE;
    }

    /**
     * Sets the callback for memory that is given back. It is called only while memory is {@link #want wanted}. It has
     * to return at once and must not take locks.
     */
    public void onGivenBack(Runnable told) {
        onGivenBack = told;
    }

    /** Sets whether the callback is notified of memory that is given back. */
    public void want(boolean wanted) {
        this.wanted = wanted;
    }

    /** Returns the bytes of memory that a frame of that length occupies. */
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
