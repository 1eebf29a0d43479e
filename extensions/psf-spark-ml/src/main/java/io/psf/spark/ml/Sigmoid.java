package io.psf.spark.ml;

/** The logistic function, from a table. */
final class Sigmoid {
    private static final int LIMIT = 8;
    private static final int STEPS = 256;
    private static final float[] TABLE = new float[2 * LIMIT * STEPS + 2];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            TABLE[i] = (float) (1 / (1 + Math.exp(-((double) i / STEPS - LIMIT))));
        }
    }

    private Sigmoid() {}

    /** Returns 1 / (1 + exp(-x)), within 1e-6; beyond 8, 0 or 1. */
    static float of(float x) {
        if (!(x > -LIMIT)) {
            return 0;
        }
        if (x >= LIMIT) {
            return 1;
        }
        float at = (x + LIMIT) * STEPS;
        int i = (int) at;
        return TABLE[i] + (at - i) * (TABLE[i + 1] - TABLE[i]);
    }
}
