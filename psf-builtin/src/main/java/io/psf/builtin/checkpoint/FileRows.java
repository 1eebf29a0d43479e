package io.psf.builtin.checkpoint;

import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The rows of a shard that a file has. */
final class FileRows {
    /** All rows, without hashes. */
    static final FileRows ALL = new FileRows(0, null, new long[0], null);

    private final int bases;
    private final long @Nullable [] hashes;
    private final long[] removed;
    /** The rows; null for all. */
    private final @Nullable BitSet changed;

    private FileRows(int bases, long @Nullable [] hashes, long[] removed, @Nullable BitSet changed) {
        this.bases = bases;
        this.hashes = hashes;
        this.removed = removed;
        this.changed = changed;
    }

    /**
     * All rows, with their hashes, so that a later save may build on the file.
     *
     * @param hashes [rows] int64, as of {@link RowHashes}
     */
    static FileRows all(long[] hashes) {
        return new FileRows(0, hashes, new long[0], null);
    }

    /**
     * The rows that have changed since an earlier save.
     *
     * @param bases the number of files that the file builds on
     * @param hashes [rows] int64, of all rows of the shard
     * @param removed [n] int64, the keys that had a row in the earlier save and have none now
     * @param changed the rows that have changed or are new
     */
    static FileRows changed(int bases, long[] hashes, long[] removed, BitSet changed) {
        return new FileRows(bases, hashes, removed, changed);
    }

    /** Returns how the file lists its rows. */
    Form form() {
        return new Form(hashes != null, bases, removed.length);
    }

    /** Returns true if the file has a row. */
    boolean has(int row) {
        return changed == null || changed.get(row);
    }

    /** Returns the number of rows in the file, of a shard with so many. */
    int count(int rows) {
        return changed == null ? rows : changed.cardinality();
    }

    /** Writes the keys of the removed rows, then the hashes of the rows. */
    void write(CheckedOutput out, int rows) throws IOException {
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
    void write(CheckedOutput out, StoredColumn column, int rows) throws IOException {
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
