package io.psf.builtin.optimizer;

/**
 * The heap tiles that an optimizer steps through. The JIT vectorizes loops over heap arrays, but not loops over
 * off-heap memory. One set per thread that steps shards: one set per shard would take a gigabyte for 65,536 shards. Not
 * thread-safe.
 */
final class Tiles {
    /** The number of elements in a tile. Four tiles are a fraction of a level 1 cache. */
    static final int SIZE = 512;

    private static final int STAMP_BITS = 10;

    /** The largest array of row numbers that is retained: 256 KB. */
    private static final int MOST_KEPT = 1 << 16;

    final float[] w = new float[SIZE];
    final float[] g = new float[SIZE];
    final float[] counts = new float[SIZE];
    private float[][] state = new float[0][];
    /** By the hash of a row, the last batch with such a row. */
    private final int[] stamps = new int[1 << STAMP_BITS];

    private int batch;

    private int[] rows = new int[SIZE];

    /**
     * Returns a buffer for the row numbers of n keys. The buffer is reused, so that only a very long push allocates
     * one.
     */
    int[] rows(int n) {
        if (n > MOST_KEPT) {
            return new int[n];
        }
        if (n > rows.length) {
            rows = new int[Math.max(n, 2 * rows.length)];
        }
        return rows;
    }

    /** Returns at least n tiles of state. */
    float[][] state(int n) {
        if (state.length < n) {
            state = new float[n][SIZE];
        }
        return state;
    }

    /**
     * Returns how many rows a batch may contain. A batch must not contain a row twice, since a row must not be read
     * again before it is written back.
     *
     * @param rows row numbers
     * @param from the index of the first row in {@code rows}
     * @param most the largest size of the batch; at least 1
     * @return the number of rows, from the first on, that differ from each other; fewer if hashes collide; at least 1
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
