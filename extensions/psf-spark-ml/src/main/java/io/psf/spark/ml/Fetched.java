package io.psf.spark.ml;

import java.util.Arrays;

/** Weights that are collected in any order. Not thread-safe. */
final class Fetched {
    private final int width;
    private long[] keys = new long[1024];
    private float[] weights;
    private int n;

    Fetched(int width) {
        this.width = width;
        this.weights = new float[1024 * width];
    }

    /** Adds rows that are not 0. */
    void add(long[] some, float[] of) {
        for (int i = 0; i < some.length; i++) {
            int from = i * width;
            if (!isZero(of, from, width)) {
                if (n == keys.length) {
                    grow();
                }
                keys[n] = some[i];
                System.arraycopy(of, from, weights, n * width, width);
                n++;
            }
        }
    }

    private void grow() {
        int most = (Integer.MAX_VALUE - 8) / width;
        if (n >= most) {
            throw new IllegalStateException("weights other than 0: more than " + most + " rows of " + width
                    + " floats (expected: as many as an array has; a model of more is to stay on the servers)");
        }
        int more = (int) Math.min(most, n * 3L / 2);
        keys = Arrays.copyOf(keys, more);
        weights = Arrays.copyOf(weights, more * width);
    }

    static boolean isZero(float[] of, int from, int width) {
        for (int i = from; i < from + width; i++) {
            if (of[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the weights in the order of their keys. A key that was added twice is there once. */
    LocalWeights weights(Kernel kernel, float[] bias) {
        long[] sorted = Arrays.copyOf(keys, n);
        Arrays.sort(sorted);
        int distinct = 0;
        for (int i = 0; i < n; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                sorted[distinct++] = sorted[i];
            }
        }
        sorted = Arrays.copyOf(sorted, distinct);
        float[] ordered = new float[distinct * width];
        for (int i = 0; i < n; i++) {
            int at = i < distinct && sorted[i] == keys[i] ? i : Arrays.binarySearch(sorted, keys[i]);
            System.arraycopy(weights, i * width, ordered, at * width, width);
        }
        return new LocalWeights(kernel, sorted, ordered, bias);
    }
}
