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

    /**
     * Writes some rows of a column.
     *
     * @param number the number of the column
     * @param row the first row to write
     * @param all the number of the shard's rows
     * @param kept the rows that are no longer in the shard as they were
     * @return the row after the last one that was written, as {@link #next} does
     */
    int write(ImageOutput out, StoredColumn column, int number, int row, int all, KeptRows kept) throws IOException {
        int left = Math.max(1, ImageOutput.FLOATS / column.width());
        left = changed == null ? left : Math.min(left, TILE);
        int[] some = new int[changed == null ? 0 : left];
        int at = row;
        while (left > 0 && at < all) {
            if (kept.has(at)) {
                kept.write(out, at, number);
                left--;
                at = next(at + 1, all);
            } else if (changed == null) {
                int n = Math.min(left, kept.next(at, all) - at);
                out.floats(column.read(at, n));
                left -= n;
                at += n;
            } else {
                int n = 0;
                for (; n < left && at < all && !kept.has(at); at = next(at + 1, all)) {
                    some[n++] = at;
                }
                out.rows(column, some, n);
                left -= n;
            }
        }
        return at;
    }
}
