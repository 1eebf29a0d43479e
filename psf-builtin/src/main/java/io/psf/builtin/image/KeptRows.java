package io.psf.builtin.image;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Rows of a shard as they were when a copy of it was begun, on the heap, until they are copied. They are in a few large
 * arrays, which a collector does not move row by row.
 */
final class KeptRows {
    /** The bytes that a row takes beside its values. */
    private static final int OVERHEAD = 60;

    /** The most floats of an array, unless a row has more: 1 MB with its header. */
    private static final int CHUNK = (1 << 18) - 16;

    private final List<StoredColumn> columns;
    /** The floats of a row from a column on; 0 after the last one. */
    private final int[] widths;

    private final long most;
    private final BitSet numbers = new BitSet();
    private final List<float[]> chunks = new ArrayList<>();
    /** The floats that the last chunk has. */
    private int filled;
    /** The number of rows that are kept. */
    private int size;

    private long[] keys = new long[16];
    /** For each row the chunk and, in the lower half, where it begins there. */
    private long[] starts = new long[16];
    /** For each row the first of the columns that it has. */
    private byte[] firsts = new byte[16];
    /** A hash table with linear probing, at most half full: a row and one more than its index above; 0 for none. */
    private long[] places = new long[32];

    private long bytes;

    /**
     * Creates a place for rows.
     *
     * @param most the most bytes that they may take
     */
    KeptRows(List<StoredColumn> columns, long most) {
        this.columns = columns;
        this.widths = new int[columns.size() + 1];
        for (int i = columns.size() - 1; i >= 0; i--) {
            widths[i] = widths[i + 1] + columns.get(i).width();
        }
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
        float[] into = chunk(widths[first]);
        if (size == keys.length) {
            grow();
        }
        keys[size] = key;
        starts[size] = (long) (chunks.size() - 1) << Integer.SIZE | filled;
        firsts[size] = (byte) first;
        size++;
        place(row, size);
        for (StoredColumn each : columns.subList(first, columns.size())) {
            each.read(row, 1).copyTo(0, into, filled, each.width());
            filled += each.width();
        }
        numbers.set(row);
        bytes += OVERHEAD + (long) widths[first] * Float.BYTES;
    }

    /** Returns the last chunk, which has room for a row. */
    private float[] chunk(int width) {
        if (chunks.isEmpty() || chunks.get(chunks.size() - 1).length - filled < width) {
            int share = (int) Math.min(CHUNK, most / Float.BYTES / 16);
            chunks.add(new float[Math.max(share, width)]);
            filled = 0;
        }
        return chunks.get(chunks.size() - 1);
    }

    private void grow() {
        int more = 2 * size;
        keys = Arrays.copyOf(keys, more);
        starts = Arrays.copyOf(starts, more);
        firsts = Arrays.copyOf(firsts, more);
        long[] before = places;
        places = new long[2 * more];
        for (long each : before) {
            if (each != 0) {
                place((int) (each >>> Integer.SIZE), (int) each);
            }
        }
    }

    private void place(int row, int place) {
        int at = home(row);
        while (places[at] != 0) {
            at = at + 1 & places.length - 1;
        }
        places[at] = (long) row << Integer.SIZE | place;
    }

    private int home(int row) {
        return row * 0x9E3779B9 >>> 1 + Integer.numberOfLeadingZeros(places.length);
    }

    /** Returns the index of a row that is kept. */
    private int index(int row) {
        int at = home(row);
        while (places[at] == 0 || places[at] >>> Integer.SIZE != row) {
            at = at + 1 & places.length - 1;
        }
        return (int) places[at] - 1;
    }

    /** Returns the key of a row that is kept. */
    long key(int row) {
        return keys[index(row)];
    }

    /** Writes a row that is kept. */
    void write(ImageOutput out, int row, int column) throws IOException {
        int index = index(row);
        int at = (int) starts[index] + widths[firsts[index]] - widths[column];
        float[] chunk = chunks.get((int) (starts[index] >>> Integer.SIZE));
        out.floats(FloatArray.wrap(chunk, at, columns.get(column).width()));
    }

    void clear() {
        chunks.clear();
        numbers.clear();
    }
}
