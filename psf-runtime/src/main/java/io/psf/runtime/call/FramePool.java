package io.psf.runtime.call;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps direct buffers of frames for their next use, since a first touch of fresh memory costs several times as much as
 * the bytes that are written to it. Buffers are the garbage collector's: one that is never given back is not lost, and
 * a view that outlives its frame reads another frame's bytes but never freed memory. Thread-safe.
 */
public final class FramePool implements Frame.Lender {
    private static final int SMALLEST = 10;

    /** Beyond the power of two, for a header: arrays of such sizes are common. */
    private static final int SLACK = 512;

    private static final int LARGEST = 30;

    /** By size; each its own lock, since linked nodes would be garbage of every frame. */
    private final ArrayDeque<ByteBuffer>[] kept = newDeques();

    private final AtomicLong keptBytes = new AtomicLong();
    private final long limit;

    /**
     * A pool.
     *
     * @param limit the most bytes that are kept unused
     */
    public FramePool(long limit) {
        this.limit = limit;
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
        if (size > LARGEST) {
            return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        }
        ByteBuffer buffer;
        synchronized (kept[size]) {
            buffer = kept[size].pollFirst();
        }
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect((1 << size) + SLACK).order(ByteOrder.LITTLE_ENDIAN);
        } else {
            keptBytes.addAndGet(-buffer.capacity());
        }
        return buffer.clear().limit(length);
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        int size = sizeClass(buffer.capacity());
        if (size <= LARGEST && keptBytes.get() + buffer.capacity() <= limit) {
            keptBytes.addAndGet(buffer.capacity());
            synchronized (kept[size]) {
                kept[size].addFirst(buffer);
            }
        }
    }

    /** Bytes that are kept unused. */
    public long keptBytes() {
        return keptBytes.get();
    }

    private static int sizeClass(int length) {
        return Math.max(SMALLEST, 32 - Integer.numberOfLeadingZeros(Math.max(1, length - SLACK) - 1));
    }
}
