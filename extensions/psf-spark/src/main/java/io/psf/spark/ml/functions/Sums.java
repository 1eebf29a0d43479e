package io.psf.spark.ml.functions;

/** Sums of vectors times numbers, in loops that the JIT vectorizes. All vectors have the length of the first. */
final class Sums {
    private Sums() {}

    static void set(float[] sum, float a, float[] x) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] = a * x[d];
        }
    }

    static void set(float[] sum, float a, float[] x, float b, float[] y, float c, float[] z) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] = a * x[d] + b * y[d] + c * z[d];
        }
    }

    static void add(float[] sum, float[] x) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += x[d];
        }
    }

    static void add(float[] sum, float a, float[] x) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += a * x[d];
        }
    }

    static void add(float[] sum, float a, float[] x, float b, float[] y, float c, float[] z) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += a * x[d] + b * y[d] + c * z[d];
        }
    }
}
