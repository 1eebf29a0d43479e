package io.psf.runtime.internal.server.shard;

import io.psf.api.PsException;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.RowWrites;
import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.Reservation;
import io.psf.runtime.spi.store.Store;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An off-heap array with one row per row of a shard: the values, or a slot. Belongs to the shard's lane. */
final class Column {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final String name;
    private final FloatArray all;
    private final RowWrites writes;
    /** A view of all rows that marks those that are written to; null until the rows are used. */
    private @Nullable FloatArray marking;

    private final int width;
    /** The bytes of a value. */
    private final int size;

    private final Allocation memory;
    /** A view of the existing rows; null until they are used. */
    private @Nullable FloatArray view;

    private Column(String name, FloatTypes types, int width, Allocation memory, ByteBuffer bytes, RowWrites writes) {
        this.name = name;
        this.all = types.isStochastic()
                ? ArrayMemory.viewStochastic(bytes, types.storage(), name.hashCode())
                : ArrayMemory.view(bytes, types.storage());
        this.writes = writes;
        this.width = width;
        this.size = types.bytes();
        this.memory = memory;
    }

    /**
     * Creates a column of zeros.
     *
     * @param writes gets the rows that are written to through {@link #of}
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if it exceeds the maximum size of a buffer
     */
    static Column fixed(Store store, String name, long rows, int width, FloatTypes types, RowWrites writes) {
        if (rows > 0 && width > MOST_BYTES / types.bytes() / rows) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    name + ", of a slice: " + rows + " rows x " + width + " wide, " + types.bytes()
                            + " bytes each (expected: at most " + MOST_BYTES + " bytes; use more slices)");
        }
        Allocation memory = store.allocate(name, (int) rows * width * types.bytes());
        return new Column(name, types, width, memory, memory.bytes(), writes);
    }

    /**
     * Creates a column with capacity for as many rows as one buffer and one index hold, or as the system can reserve.
     * Its content is undefined.
     *
     * @param writes gets the rows that are written to through {@link #of}
     */
    static Column growing(Store store, String name, int width, FloatTypes types, RowWrites writes) {
        int rows = Math.min(MOST_BYTES / types.bytes() / width, GrowingIndex.MOST_ROWS);
        if (rows == 0) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    name + ": a row of " + width + " wide (expected: at most " + MOST_BYTES + " bytes)");
        }
        Reservation reservation = store.reserve(name, rows * width * types.bytes());
        ByteBuffer bytes = reservation.bytes();
        int bytesOfRow = width * types.bytes();
        ByteBuffer whole = bytes.limit(bytes.capacity() / bytesOfRow * bytesOfRow);
        return new Column(name, types, width, reservation, whole, writes);
    }

    String name() {
        return name;
    }

    int width() {
        return width;
    }

    long bytesOfRow() {
        return (long) width * size;
    }

    /** Returns the capacity in rows. */
    int rows() {
        return all.length() / width;
    }

    /**
     * Takes memory for rows. Must be called before they are written to.
     *
     * @param rows the number of rows to be usable, at most {@link #rows()}
     * @return the number of rows that have memory: at least {@code rows}
     * @throws PsException with {@code STORAGE} if the disk has no space for them
     */
    int take(int rows) {
        int bytesOfRow = width * size;
        return rows > 0 && memory instanceof Reservation reservation
                ? reservation.take(rows * bytesOfRow) / bytesOfRow
                : rows();
    }

    /**
     * Gives the memory up.
     *
     * @param rows the number of rows that have been written to
     */
    void giveUp(int rows) {
        memory.giveUp((long) rows * width * size);
    }

    /** Brings rows at random into memory: {@link Allocation#loadRows}. */
    void load(int[] rows, int first, int n) {
        memory.loadRows(rows, first, n, width * size);
    }

    /** Brings rows into memory that are read one after the other. */
    void load(int row, int n) {
        memory.loadRange(row * width * size, (row + n) * width * size);
    }

    /** Copies one row over another. Marks no row. */
    void copyRow(int from, int to) {
        all.copyRows(to, all, from, 1, width);
    }

    /**
     * Returns the rows of a shard, [rows, width] float32: a view that marks the rows that are written to.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the capacity is smaller
     */
    FloatArray of(int rows) {
        requireCapacity(rows);
        FloatArray known = view;
        if (known == null || known.length() != rows * width) {
            if (marking == null) {
                marking = ArrayMemory.marking(all, width, writes);
            }
            known = marking.slice(0, rows * width);
            view = known;
        }
        return known;
    }

    private void requireCapacity(int rows) {
        if (rows > rows()) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "rows of " + name + ", " + width + " wide: " + rows + " (expected: at most " + rows()
                            + "; use more slices)");
        }
    }

    /** Zeroes the rows from {@code first} to {@code end}, exclusive. Marks no row. */
    void clear(int first, int end) {
        requireCapacity(end);
        all.slice(first * width, end * width).fill(0);
    }
}
