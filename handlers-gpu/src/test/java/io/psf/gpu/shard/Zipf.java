package io.psf.gpu.shard;

import java.util.Random;

/** Keys of which few are frequent, as in recommenders: of exponent 1, by the inverse of the continuous distribution. */
final class Zipf {
    private Zipf() {}

    /** Returns n keys from 0 to bound, which are the same each time. The frequent ones are not beside each other. */
    static long[] keys(int n, int bound) {
        Random random = new Random(1);
        long[] keys = new long[n];
        for (int i = 0; i < n; i++) {
            int rank = (int) Math.min(bound - 1L, (long) Math.pow(bound, random.nextDouble()) - 1);
            keys[i] = (rank * 0x9E3779B1L & Long.MAX_VALUE) % bound;
        }
        return keys;
    }
}
