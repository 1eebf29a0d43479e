package io.psf.benchmarks;

import java.util.Arrays;

/**
 * The floor of a growing table: rows by key in an open-addressing table of one thread. The arrays double when they are
 * full.
 */
final class HeapTable {
    private final int width;
    private long[] keys = new long[1 << 10];
    private float[] rows;
    /** The row of a key plus 1; 0 for a free entry. At most half full. */
    private int[] table = new int[1 << 11];

    private int size;

    HeapTable(int width) {
        this.width = width;
        this.rows = new float[keys.length * width];
    }

    /**
     * Reads rows. Creates missing rows.
     *
     * @param some [n]
     * @param into [n, width]
     */
    void pull(long[] some, float[] into) {
        for (int i = 0; i < some.length; i++) {
            int row = row(some[i]); // first, since it may replace the arrays
            System.arraycopy(rows, row * width, into, i * width, width);
        }
    }

    private int row(long key) {
        int at = find(key);
        if (table[at] != 0) {
            return table[at] - 1;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            rows = Arrays.copyOf(rows, 2 * size * width);
            table = new int[4 * size];
            for (int row = 0; row < size; row++) {
                table[find(keys[row])] = row + 1;
            }
            at = find(key);
        }
        keys[size++] = key;
        table[at] = size;
        return size - 1;
    }

    private int find(long key) {
        int mask = table.length - 1;
        int at = (int) ((key ^ (key >>> 32)) * 0x9E3779B97F4A7C15L >>> 32) & mask;
        while (table[at] != 0 && keys[table[at] - 1] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }
}
