package io.psf.builtin.image;

import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The rows of a shard that an image has. */
public final class ImageRows {
    /** All rows. */
    public static final ImageRows ALL = new ImageRows(0, new long[0], null);

    /** The most rows that are read together by their numbers. */
    private static final int TILE = 4096;

    private final int bases;
    private final long[] removed;
    /** The rows; null for all. */
    private final @Nullable BitSet changed;

    private ImageRows(int bases, long[] removed, @Nullable BitSet changed) {
        this.bases = bases;
        this.removed = removed;
        this.changed = changed;
    }

    /**
     * The rows that have changed since an earlier save.
     *
     * @param bases the number of images that the image builds on
     * @param removed [n] int64, the keys that had a row in the earlier save and have none now
     * @param changed the rows that have changed or are new
     */
    public static ImageRows changed(int bases, long[] removed, BitSet changed) {
        return new ImageRows(bases, removed, changed);
    }

    /** Returns how the image lists its rows. */
    public ImageForm form() {
        return new ImageForm(bases, removed.length, false);
    }

    /** Returns a bit for each row that the image has; null if it has all. */
    @Nullable
    BitSet changed() {
        return changed;
    }

    /** Returns the number of rows in the image of a shard with {@code rows} rows. */
    int count(int rows) {
        return changed == null ? rows : changed.cardinality();
    }

    /** Returns the first row of the image from a row on, of a shard with {@code rows} rows; {@code rows} for none. */
    int next(int row, int rows) {
        int next = changed == null ? row : changed.nextSetBit(row);
        return next < 0 ? rows : next;
    }

    /** Writes the keys of the removed rows. */
    void writeRemoved(ImageOutput out) throws IOException {
        for (long key : removed) {
            out.i64(key);
        }
    }

    /** Writes the rows of a column. */
    void write(ImageOutput out, StoredColumn column, int rows) throws IOException {
        if (changed == null) {
            out.rows(column, 0, rows);
            return;
        }
        int[] some = new int[TILE];
        for (int row = next(0, rows); row < rows; ) {
            int n = 0;
            for (; n < TILE && row < rows; row = next(row + 1, rows)) {
                some[n++] = row;
            }
            out.rows(column, some, n);
        }
    }
}
