package io.psf.runtime.internal.server.lane;

import io.psf.api.array.FloatArray;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that is allocated in pieces and released all at once. It is taken from the frames' pool, and a large block is
 * given back to it after use. Used by one lane.
 */
public final class Scratch {
    private static final long MOST = (Integer.MAX_VALUE - 8) & ~7;
    private static final int FIRST = 1 << 16;

    /** Doubling stops at this number of bytes. At most twice this number is retained for the next handler. */
    private static final int MOST_IDLE = 1 << 20;

    private final FramePool pool;
    /** Earlier blocks. Pieces of them were allocated before the memory grew, and may still be in use. */
    private final List<ByteBuffer> outgrown = new ArrayList<>();

    private ByteBuffer memory;

    /** Memory for the numbers of rows. */
    private int[] rows = {};

    private boolean rowsAreTaken;

    Scratch(FramePool pool) {
        this.pool = pool;
        this.memory = take(FIRST);
    }

    private ByteBuffer take(int bytes) {
        return pool.take(bytes);
    }

    /** Allocates {@code n} floats, their content undefined. */
    public FloatArray allocate(int n) {
        long bytes = 4L * n;
        long padded = (bytes + 7) & ~7L;
        if (padded > memory.remaining()) {
            grow(n, padded);
        }
        ByteBuffer piece = memory.slice(memory.position(), (int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        memory.position(memory.position() + (int) padded);
        return FloatArray.view(piece);
    }

    /** Allocates {@code n} numbers of rows or more, their content undefined. */
    public int[] allocateRows(int n) {
        if (rowsAreTaken || n > MOST_IDLE / Integer.BYTES) {
            return new int[n];
        }
        rows = rows.length < n ? new int[n] : rows;
        rowsAreTaken = true;
        return rows;
    }

    private void grow(int n, long padded) {
        long doubled = Math.min(MOST_IDLE, 2L * memory.capacity());
        long wanted = Math.min(MOST, Math.max(doubled, padded));
        if (wanted < padded) {
            throw new IllegalArgumentException(
                    "floats of scratch memory: " + n + " (expected: at most " + wanted / 4 + ")");
        }
        ByteBuffer larger = take((int) wanted);
        outgrown.add(memory);
        memory = larger;
    }

    boolean isEmpty() {
        return memory.position() == 0 && outgrown.isEmpty() && !rowsAreTaken;
    }

    /** Releases all pieces. */
    public void reset() {
        rowsAreTaken = false;
        memory.clear();
        if (!outgrown.isEmpty()) {
            outgrown.forEach(pool::giveBack);
            outgrown.clear();
        }
        if (memory.capacity() > 2 * MOST_IDLE) {
            ByteBuffer much = memory;
            memory = take(FIRST);
            pool.giveBack(much);
        }
    }

    /** Leaves the pieces that were allocated, and all other memory, to the garbage collector. */
    void abandon() {
        outgrown.forEach(pool::abandon);
        pool.abandon(memory);
    }
}
