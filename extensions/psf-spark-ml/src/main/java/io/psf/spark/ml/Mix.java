package io.psf.spark.ml;

/** Pseudorandom numbers that are functions of their arguments: the same in each attempt of a task. */
final class Mix {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Mix() {}

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
    static long hash(long x) {
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }

    static long hash(long a, long b) {
        return hash(hash(a + STEP) + b * STEP);
    }

    /** Returns a number of [0, n), from a hash. */
    static int below(int n, long hash) {
        return (int) (((hash >>> 32) * n) >>> 32);
    }

    /** Shuffles an array (Fisher and Yates). */
    static void shuffle(long[] order, long seed) {
        for (int i = order.length - 1; i > 0; i--) {
            int other = below(i + 1, hash(seed, i));
            long kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }
}
