package io.psf.benchmarks;

import java.util.Random;

/**
 * Batches of unsorted row ids with duplicates. There are many batches, so that not all of their rows stay in a cache.
 */
enum Keys {
    /** All rows are equally likely. */
    UNIFORM,
    /** The row of rank k is 1/k as likely as the row of rank 1. The ranks are scattered over the table. */
    ZIPF;

    private static final int BATCHES = 64;

    /**
     * Draws the batches.
     *
     * @return [batches][n], each in [0, rows)
     */
    long[][] draw(int rows, int n) {
        Random random = new Random(20);
        double[] upTo = this == ZIPF ? cumulated(rows) : new double[0];
        long[][] batches = new long[BATCHES][n];
        for (long[] batch : batches) {
            for (int i = 0; i < n; i++) {
                batch[i] = this == ZIPF ? scattered(rank(upTo, random.nextDouble()), rows) : random.nextInt(rows);
            }
        }
        return batches;
    }

    private static double[] cumulated(int rows) {
        double[] upTo = new double[rows];
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
        }
        return upTo;
    }

    private static int rank(double[] upTo, double fraction) {
        int at = java.util.Arrays.binarySearch(upTo, fraction * upTo[upTo.length - 1]);
        return Math.min(at >= 0 ? at : -at - 1, upTo.length - 1);
    }

    /**
     * Maps a rank to a row. The factor is a prime that does not divide the number of rows, so this is a permutation.
     */
    private static long scattered(int rank, int rows) {
        return rank * 7_368_787L % rows;
    }

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
