package io.psf.builtin.optimizer;

/**
 * The heap tiles that an optimizer steps through: loops over memory off the heap are not vectorized by the JIT, loops
 * over tiles are. One set for each thread that steps shards, since beside 65,536 shards they would be a gigabyte.
 */
final class Tiles {
    /** Elements in a tile: with four of them, a part of what a level 1 cache holds. */
    static final int SIZE = 512;

    private static final int STAMP_BITS = 10;

    /** Rows of keys that room is kept for: 256 KB. */
    private static final int MOST_KEPT = 1 << 16;

    final float[] w = new float[SIZE];
    final float[] g = new float[SIZE];
    final float[] counts = new float[SIZE];
    private float[][] state = new float[0][];
    /** By a row's hash, the batch that last had such a row. */
    private final int[] stamps = new int[1 << STAMP_BITS];

    private int batch;

    private int[] rows = new int[SIZE];

    /** Room for the rows of n keys: kept, so that a push makes no array as long as its keys, unless it is very long. */
    int[] rows(int n) {
        if (n > MOST_KEPT) {
            return new int[n];
        }
        if (n > rows.length) {
            rows = new int[Math.max(n, 2 * rows.length)];
        }
        return rows;
    }

    /** At least n tiles of state. */
    float[][] state(int n) {
        if (state.length < n) {
            state = new float[n][SIZE];
        }
        return state;
    }

    /**
     * How many rows a batch may take together: a row must not be read again before it is written back.
     *
     * @param rows which rows
     * @param from the first of {@code rows}
     * @param most how many there are, or fit; at least 1
     * @return how many, from the first on, differ from each other; fewer where hashes meet, at least 1
     */
    int distinct(int[] rows, int from, int most) {
        batch++;
        for (int i = 0; i < most; i++) {
            int hash = (rows[from + i] * 0x9E3779B9) >>> (32 - STAMP_BITS);
            if (stamps[hash] == batch && i > 0) {
                return i;
            }
            stamps[hash] = batch;
        }
        return most;
    }
}
