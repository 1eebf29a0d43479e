package io.psf.builtin.image;

import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The rows of a shard that an image has. */
public final class ImageRows {
    /** All rows, without hashes. */
    public static final ImageRows ALL = new ImageRows(0, null, new long[0], null);

    private final int bases;
    private final long @Nullable [] hashes;
    private final long[] removed;
    /** The rows; null for all. */
    private final @Nullable BitSet changed;

    private ImageRows(int bases, long @Nullable [] hashes, long[] removed, @Nullable BitSet changed) {
        this.bases = bases;
        this.hashes = hashes;
        this.removed = removed;
        this.changed = changed;
    }

    /**
     * All rows, with their hashes, so that a later save may build on the image.
     *
     * @param hashes [rows] int64, as of {@link RowHashes}
     */
    public static ImageRows all(long[] hashes) {
        return new ImageRows(0, hashes, new long[0], null);
    }

    /**
     * The rows that have changed since an earlier save.
     *
     * @param bases the number of images that the image builds on
     * @param hashes [rows] int64, of all rows of the shard
     * @param removed [n] int64, the keys that had a row in the earlier save and have none now
     * @param changed the rows that have changed or are new
     */
    public static ImageRows changed(int bases, long[] hashes, long[] removed, BitSet changed) {
        return new ImageRows(bases, hashes, removed, changed);
    }

    /** Returns how the image lists its rows. */
    public ImageForm form() {
        return new ImageForm(hashes != null, bases, removed.length, false);
    }

    /** Returns true if the image has a row. */
    boolean has(int row) {
        return changed == null || changed.get(row);
    }

    /** Returns the number of rows in the image of a shard with {@code rows} rows. */
    int count(int rows) {
        return changed == null ? rows : changed.cardinality();
    }

    /** Writes the keys of the removed rows, then the hashes of the rows. */
    void write(ImageOutput out, int rows) throws IOException {
        for (long key : removed) {
            out.i64(key);
        }
        for (int row = 0; hashes != null && row < rows; row++) {
            if (has(row)) {
                out.i64(hashes[row]);
            }
        }
    }

    /** Writes the rows of a column. */
    void write(ImageOutput out, StoredColumn column, int rows) throws IOException {
        if (changed == null) {
            out.rows(column, 0, rows);
            return;
        }
        for (int row = changed.nextSetBit(0); row >= 0; ) {
            int end = changed.nextClearBit(row);
            out.rows(column, row, end);
            row = changed.nextSetBit(end);
        }
    }
}
