package io.psf.builtin.checkpoint;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.util.BitSet;

/**
 * The keys of a file of a growing table that a shard owns, and their rows. The keys are read once to create the rows,
 * and once for each column. Not thread-safe.
 */
final class OwnedKeys {
    /** The most keys that are read together. */
    private static final int MOST = 4096;

    private final BufferedFile file;
    private final long first;
    private final long count;
    private final StoredShard shard;
    private final long[] keys = new long[MOST];
    /** The place of each key among those that were read with it. */
    private final int[] places = new int[MOST];

    private final int[] rows = new int[MOST];

    /**
     * The keys of a file.
     *
     * @param file reads the keys, and nothing else
     * @param first the position of the first key in the file
     * @param count the number of keys in the file
     */
    OwnedKeys(BufferedFile file, long first, long count, StoredShard shard) {
        this.file = file;
        this.first = first;
        this.count = count;
        this.shard = shard;
    }

    /** Creates the rows of the keys. Returns the number of rows created. */
    int createRows() throws IOException {
        int before = shard.rows();
        file.seek(first);
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(MOST, left);
            findRows(n);
            left -= n;
        }
        return shard.rows() - before;
    }

    /**
     * Copies the rows of the keys to a column.
     *
     * @param in the file, positioned at the column
     * @param different true if no key occurs twice; false if one does, which no save writes: its first row counts
     */
    void copy(BufferedFile in, Tile tile, StoredColumn column, boolean different) throws IOException {
        int width = column.width();
        int most = Math.min(MOST, Tile.rows(width));
        BitSet copied = new BitSet(different ? 0 : shard.rows());
        file.seek(first);
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(most, left);
            FloatArray values = tile.read(in, n, width);
            int owned = findRows(n);
            if (!different) {
                owned = keepFirst(owned, copied);
            }
            for (int i = 0; owned < n && i < owned; i++) {
                values.copyRows(i, values, places[i], 1, width);
            }
            column.write(rows, owned, values.slice(0, owned * width));
            left -= n;
        }
    }

    /** Reads the next n keys, and finds or creates the rows of those that the shard owns. Returns their number. */
    private int findRows(int n) throws IOException {
        int owned = 0;
        for (int i = 0; i < n; i++) {
            keys[owned] = file.i64();
            places[owned] = i;
            owned += shard.owns(keys[owned]) ? 1 : 0;
        }
        shard.rows(LongArray.wrap(keys, 0, owned), rows);
        return owned;
    }

    /** Drops the rows that were copied before. Returns the number of the others. */
    private int keepFirst(int owned, BitSet copied) {
        int kept = 0;
        for (int i = 0; i < owned; i++) {
            int row = rows[i];
            if (!copied.get(row)) {
                copied.set(row);
                rows[kept] = row;
                places[kept] = places[i];
                kept++;
            }
        }
        return kept;
    }
}
