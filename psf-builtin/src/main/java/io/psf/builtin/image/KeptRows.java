package io.psf.builtin.image;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Rows of a shard as they were when a copy of it was begun, on the heap, until they are copied. */
final class KeptRows {
    /** The bytes that a row takes beside its values. */
    private static final int OVERHEAD = 100;

    private final List<StoredColumn> columns;
    private final long most;
    private final BitSet numbers = new BitSet();
    private final Map<Integer, Row> rows = new HashMap<>();
    private long bytes;

    /**
     * A row.
     *
     * @param first the first of the columns that it has
     * @param floats the values of these columns, one after the other
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Row(long key, int first, float[] floats) {}

    /**
     * Creates a place for rows.
     *
     * @param most the most bytes that they may take
     */
    KeptRows(List<StoredColumn> columns, long most) {
        this.columns = columns;
        this.most = most;
    }

    /** True if a row is kept. */
    boolean has(int row) {
        return numbers.get(row);
    }

    /** Returns the first row from a row on that is kept; {@code end} for none before that. */
    int next(int row, int end) {
        int next = numbers.nextSetBit(row);
        return next < 0 ? end : Math.min(next, end);
    }

    /**
     * True if another row may be kept: a quarter of the memory may be taken at once, the rest as the image is written.
     *
     * @param written the bytes of the image that are written
     * @param all the bytes of its rows
     */
    boolean hasRoom(long written, long all) {
        return bytes <= most * (0.25 + 0.75 * Math.min(1, (double) written / all));
    }

    /**
     * Keeps a row.
     *
     * @param first the first of the columns that are still to be copied
     */
    void add(int row, long key, int first) {
        int width = 0;
        for (StoredColumn each : columns.subList(first, columns.size())) {
            width += each.width();
        }
        float[] floats = new float[width];
        int at = 0;
        for (StoredColumn each : columns.subList(first, columns.size())) {
            each.read(row, 1).copyTo(0, floats, at, each.width());
            at += each.width();
        }
        rows.put(row, new Row(key, first, floats));
        numbers.set(row);
        bytes += OVERHEAD + (long) width * Float.BYTES;
    }

    /** Returns the key of a row that is kept. */
    long key(int row) {
        return get(row).key();
    }

    /** Writes a row that is kept. */
    void write(ImageOutput out, int row, int column) throws IOException {
        Row kept = get(row);
        int at = 0;
        for (StoredColumn each : columns.subList(kept.first(), column)) {
            at += each.width();
        }
        out.floats(FloatArray.wrap(kept.floats(), at, columns.get(column).width()));
    }

    private Row get(int row) {
        return Objects.requireNonNull(rows.get(row));
    }

    void clear() {
        rows.clear();
        numbers.clear();
    }
}
