package io.psf.runtime.call;

import java.nio.ByteBuffer;
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
        int size = sizeClass(length);
        if (size > LARGEST) {
            return new Frame(ByteBuffer.allocateDirect(length), null);
        }
        ByteBuffer buffer;
        synchronized (kept[size]) {
            buffer = kept[size].pollFirst();
        }
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect((1 << size) + SLACK);
        } else {
            keptBytes.addAndGet(-buffer.capacity());
        }
        buffer.clear().limit(length);
        return new Frame(buffer, this);
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        if (keptBytes.get() + buffer.capacity() <= limit) {
            keptBytes.addAndGet(buffer.capacity());
            int size = sizeClass(buffer.capacity());
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
