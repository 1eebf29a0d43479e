package io.psf.builtin.checkpoint;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.util.BitSet;
import java.util.function.LongPredicate;

/**
 * The keys of a file that a shard owns, and their rows. The keys are read once to create the rows,
 * and once for each column. Not thread-safe.
 */
final class OwnedKeys {
    /** The most keys that are read together. */
    private static final int MOST = 4096;

    private final BufferedFile file;
    private final long first;
    private final long count;
    private final StoredShard shard;
    private final LongPredicate current;
    private final long[] keys = new long[MOST];
    /** The place of each key among those that were read with it. */
    private final int[] places = new int[MOST];

    private final int[] rows = new int[MOST];
    /** The row of the first key if the rows of all keys are numbered in the order of the keys, as usual; -1 if not. */
    private int firstRow = -1;
    /** True if no key occurs twice. */
    private boolean different = true;

    /**
     * The keys of a file.
     *
     * @param file reads the keys, and nothing else
     * @param first the position of the first key in the file
     * @param count the number of keys in the file
     * @param current false for the keys that do not count
     */
    OwnedKeys(BufferedFile file, long first, long count, StoredShard shard, LongPredicate current) {
        this.file = file;
        this.first = first;
        this.count = count;
        this.shard = shard;
        this.current = current;
    }

    /** Creates the rows of the keys. */
    void createRows() throws IOException {
        int before = shard.rows();
        int next = before;
        boolean inOrder = true;
        file.seek(first);
        for (long left = count; left > 0; left -= MOST) {
            int owned = read((int) Math.min(MOST, left));
            findRows(owned);
            for (int i = 0; i < owned; i++) {
                inOrder &= rows[i] == next++;
            }
        }
        firstRow = inOrder ? before : -1;
        different = shard.rows() == next;
    }

    /**
     * Copies the rows of the keys to a column, after {@link #createRows}. Of a key that occurs twice, which no save
     * writes, the first row counts.
     *
     * @param in the file, positioned at the column
     */
    void copy(BufferedFile in, Tile tile, StoredColumn column) throws IOException {
        int width = column.width();
        int most = Math.min(MOST, Tile.rows(width));
        BitSet copied = new BitSet(different ? 0 : shard.rows());
        int next = firstRow;
        file.seek(first);
        for (long left = count; left > 0; left -= most) {
            int n = (int) Math.min(most, left);
            FloatArray values = tile.read(in, n, width);
            int owned = read(n);
            if (owned > 0 && firstRow >= 0) {
                column.write(next, together(values, width, owned));
                next += owned;
            } else if (owned > 0) {
                findRows(owned);
                int kept = different ? owned : keepFirst(owned, copied);
                column.write(rows, kept, together(values, width, kept));
            }
        }
    }

    /** Moves the rows at the first n of {@link #places} to the beginning of a tile, and returns them. */
    private FloatArray together(FloatArray values, int width, int n) {
        for (int i = 0; n * width < values.length() && i < n; i++) {
            values.copyRows(i, values, places[i], 1, width);
        }
        return values.slice(0, n * width);
    }

    /** Reads the next n keys. Returns the number of those that the shard owns. */
    private int read(int n) throws IOException {
        int owned = 0;
        for (int i = 0; i < n; i++) {
            keys[owned] = file.i64();
            places[owned] = i;
            owned += shard.owns(keys[owned]) && current.test(keys[owned]) ? 1 : 0;
        }
        return owned;
    }

    private void findRows(int owned) {
        shard.rows(LongArray.wrap(keys, 0, owned), rows);
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
