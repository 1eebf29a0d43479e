package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.runtime.store.Store;
import java.nio.ByteBuffer;

/** An array off the heap with a row for each row of a shard: its values, or a slot. Belongs to the shard's lane. */
final class Column {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final String name;
    private final FloatArray all;
    private final int width;
    /** The rows that there are. */
    private FloatArray view;

    private Column(String name, FloatArray all, int width) {
        this.name = name;
        this.all = all;
        this.width = width;
        this.view = all;
    }

    /**
     * Zeros.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if they are too many
     */
    static Column fixed(Store store, String name, long rows, int width) {
        if (rows > 0 && width > MOST_BYTES / Float.BYTES / rows) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    name + ", of a slice: " + rows + " rows x " + width + " wide, 4 bytes each (expected: at most "
                            + MOST_BYTES + " bytes; use more slices)");
        }
        return new Column(name, FloatArray.view(store.allocate(name, (int) rows * width * Float.BYTES)), width);
    }

    /** Room for as many rows as one buffer and one index hold, or as there is; what is in it is undefined. */
    static Column growing(Store store, String name, int width) {
        int rows = Math.min(MOST_BYTES / Float.BYTES / width, GrowingIndex.MOST_ROWS);
        if (rows == 0) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    name + ": a row of " + width + " wide (expected: at most " + MOST_BYTES + " bytes)");
        }
        ByteBuffer room = store.reserve(name, rows * width * Float.BYTES);
        int bytesOfRow = width * Float.BYTES;
        return new Column(name, FloatArray.view(room.limit(room.capacity() / bytesOfRow * bytesOfRow)), width);
    }

    String name() {
        return name;
    }

    int width() {
        return width;
    }

    /** How many rows there is room for. */
    int rows() {
        return all.length() / width;
    }

    /**
     * The rows of a shard, [rows, width].
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if this has no room for as many
     */
    FloatArray of(int rows) {
        if (rows > rows()) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "rows of " + name + ", " + width + " wide: " + rows + " (expected: at most " + rows()
                            + "; use more slices)");
        }
        if (view.length() != rows * width) {
            view = all.slice(0, rows * width);
        }
        return view;
    }

    /** Zeroes the rows from one to another. */
    void clear(int first, int end) {
        of(end).slice(first * width, end * width).fill(0);
    }
}
