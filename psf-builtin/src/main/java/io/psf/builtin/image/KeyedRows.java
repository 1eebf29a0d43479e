package io.psf.builtin.image;

import io.psf.api.Range;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The rows of a shard for the keys of an image that it owns. The keys are read once. What is kept of them is one bit
 * for each key, and 4 bytes for each owned one if their rows are not numbered in the order of the keys, as they usually
 * are. Not thread-safe.
 */
final class KeyedRows {
    /** The most keys that are read together. */
    private static final int MOST = 4096;

    private final StoredShard shard;
    private final int count;
    /** The keys whose rows are copied, by their places in the image. */
    private final BitSet owned = new BitSet();

    /** The number of the bits in {@link #owned}. */
    private int size;
    /** The row of the first owned key. */
    private int first;
    /** The rows of the owned keys; empty while they are numbered one after another from the first. */
    private int[] rows = {};
    /** The rows of the owned keys if {@link #rows} has them. */
    private final BitSet known = new BitSet();

    private final long[] keys = new long[MOST];
    private final int[] places = new int[MOST];
    private final int[] found = new int[MOST];

    private KeyedRows(StoredShard shard, int count) {
        this.shard = shard;
        this.count = count;
    }

    /**
     * Reads the keys of an image, and creates their rows if the table grows. Of a key that occurs twice, which no shard
     * writes, the first row counts.
     *
     * @param in an image, positioned at its keys
     * @param newer the keys that do not count
     */
    static KeyedRows read(ImageInput in, long count, StoredShard shard, Superseded newer) throws IOException {
        KeyedRows all = new KeyedRows(shard, Math.toIntExact(count));
        for (long at = 0; at < count; at += MOST) {
            all.read(in, (int) at, (int) Math.min(MOST, count - at), newer);
        }
        return all;
    }

    /** Creates the rows of a range of keys in a table that grows. */
    static KeyedRows of(Range range, StoredShard shard) {
        KeyedRows all = new KeyedRows(shard, Math.toIntExact(range.length()));
        for (long key = range.begin(); key < range.end(); key += MOST) {
            int some = 0;
            for (long each = key; each < Math.min(key + MOST, range.end()); each++) {
                all.keys[some] = each;
                all.places[some] = (int) (each - range.begin());
                some += shard.owns(each) ? 1 : 0;
            }
            all.addSome(some);
        }
        return all;
    }

    private void read(ImageInput in, int at, int n, Superseded newer) throws IOException {
        int some = 0;
        for (int i = 0; i < n; i++) {
            keys[some] = in.i64();
            places[some] = at + i;
            some += shard.owns(keys[some]) && !newer.has(keys[some]) ? 1 : 0;
        }
        addSome(some);
    }

    private void addSome(int some) {
        shard.rows(LongArray.wrap(keys, 0, some), found);
        for (int i = 0; i < some; i++) {
            add(places[i], found[i]);
        }
    }

    private void add(int place, int row) {
        if (size == 0) {
            first = row;
        }
        if (rows.length == 0 && row != first + size) {
            rows = new int[Math.max(MOST, 2 * size)];
            Arrays.setAll(rows, i -> first + i);
            known.set(first, first + size);
        }
        if (rows.length > 0) {
            if (known.get(row)) {
                return;
            }
            known.set(row);
            rows = size == rows.length ? Arrays.copyOf(rows, 2 * size) : rows;
            rows[size] = row;
        }
        owned.set(place);
        size++;
    }

    /**
     * Copies the rows of the keys to a column.
     *
     * @param in the image, positioned at the column
     */
    void copy(ImageInput in, ImageTile tile, StoredColumn column) throws IOException {
        int width = column.width();
        int most = Math.min(MOST, ImageTile.rows(width));
        int at = 0;
        for (int begin = 0, n; begin < count; begin += n) {
            n = Math.min(most, count - begin);
            int some = owned.get(begin, begin + n).cardinality();
            if (some == 0) {
                in.skip((long) n * width * Float.BYTES);
                continue;
            }
            FloatArray values = together(tile.read(in, n, width), begin, n, some, width);
            if (rows.length == 0) {
                column.write(first + at, values);
            } else {
                System.arraycopy(rows, at, found, 0, some);
                column.write(found, some, values);
            }
            at += some;
        }
    }

    /** Moves the owned rows of a tile to its beginning, and returns them. */
    private FloatArray together(FloatArray tile, int begin, int n, int some, int width) {
        int to = 0;
        for (int place = owned.nextSetBit(begin); some < n && to < some; place = owned.nextSetBit(place + 1)) {
            tile.copyRows(to++, tile, place - begin, 1, width);
        }
        return tile.slice(0, some * width);
    }
}
