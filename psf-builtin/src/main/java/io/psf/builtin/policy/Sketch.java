package io.psf.builtin.policy;

import io.psf.api.TensorLayout;

/**
 * Counts how often keys come, in bounded memory: a count-min sketch with conservative update (Cormode and
 * Muthukrishnan, Journal of Algorithms 55, 2005; Estan and Varghese, SIGCOMM 2002), four counters of 8 bits per key.
 * Counts are never too low, except that all counters are halved when as many keys have come as a row has counters, so
 * that old keys are forgotten (Einziger et al., TinyLFU, ACM Transactions on Storage 13, 2017). Not thread-safe.
 */
final class Sketch {
    private static final int ROWS = 4;
    private static final int MOST = 255;

    private final byte[] counters;
    private final int mask;
    private int added;

    /**
     * Creates a sketch of zeros.
     *
     * @param bytes the memory; rounded down to a power of two
     */
    Sketch(long bytes) {
        counters = new byte[(int) Long.highestOneBit(bytes)];
        mask = counters.length / ROWS - 1;
    }

    /** Counts a key, and returns how often it has come, this time included. */
    int add(long key) {
        if (++added > mask + 1) {
            halve();
            added = 1;
        }
        long hash = TensorLayout.hash(key ^ 0x5bd1e995L);
        int least = MOST;
        for (int row = 0; row < ROWS; row++) {
            least = Math.min(least, counters[at(hash, row)] & MOST);
        }
        int count = Math.min(MOST, least + 1);
        for (int row = 0; row < ROWS; row++) {
            int at = at(hash, row);
            counters[at] = (byte) Math.max(count, counters[at] & MOST);
        }
        return count;
    }

    private int at(long hash, int row) {
        int mixed = (int) hash + row * ((int) (hash >>> Integer.SIZE) | 1);
        mixed *= 0x9E3779B9;
        return (row * (mask + 1)) + ((mixed >>> 7) & mask);
    }

    private void halve() {
        for (int i = 0; i < counters.length; i++) {
            counters[i] = (byte) ((counters[i] & MOST) >>> 1);
        }
    }
}
