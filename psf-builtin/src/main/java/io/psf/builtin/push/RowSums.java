package io.psf.builtin.push;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.Arrays;

/** Sums rows by key, on the heap: an open-addressing hash table of the keys, and one row per key. Not thread-safe. */
final class RowSums {
    private final int width;
    private long[] keys;
    private float[] sums;
    /** The hash table: the index of a key in {@link #keys} plus 1, or 0 for a free entry. At most half full. */
    private int[] table;

    private int size;

    /**
     * Creates an empty table.
     *
     * @param expected the number of keys that fit before an array has to grow
     */
    RowSums(int width, int expected) {
        this.width = width;
        this.keys = new long[Math.max(16, expected)];
        this.sums = new float[Math.multiplyExact(keys.length, width)];
        this.table = new int[Math.multiplyExact(Integer.highestOneBit(keys.length), 4)];
    }

    /**
     * Adds rows.
     *
     * @param more [n] int64, keys
     * @param rows [n, width] float32; copied
     */
    void add(LongArray more, FloatArray rows) {
        float[] row = new float[width];
        for (int i = 0; i < more.length(); i++) {
            rows.copyTo(i * width, row, 0, width);
            int at = place(more.get(i)) * width;
            for (int c = 0; c < width; c++) {
                sums[at + c] += row[c];
            }
        }
    }

    /** Returns the keys: [n] int64, each once, in the order of their first addition; a view. */
    LongArray keys() {
        return LongArray.wrap(keys, 0, size);
    }

    /** Returns the sums: [n, width] float32, in the order of the keys; a view. */
    FloatArray sums() {
        return FloatArray.wrap(sums, 0, size * width);
    }

    private int place(long key) {
        int at = free(key);
        if (table[at] != 0) {
            return table[at] - 1;
        }
        if (size == keys.length) {
            grow();
            at = free(key);
        }
        keys[size++] = key;
        table[at] = size;
        return size - 1;
    }

    /** Returns the table index of a key, or of the free entry for it. */
    private int free(long key) {
        int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (table.length - 1);
        while (table[at] != 0 && keys[table[at] - 1] != key) {
            at = (at + 1) & (table.length - 1);
        }
        return at;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, Math.multiplyExact(keys.length, 2));
        sums = Arrays.copyOf(sums, Math.multiplyExact(keys.length, width));
        table = new int[Math.multiplyExact(table.length, 2)];
        for (int i = 0; i < size; i++) {
            table[free(keys[i])] = i + 1;
        }
    }
}
