package io.psf.examples.nn;

import java.util.Arrays;

/** The loops that take the time of a training: simple ones over whole arrays, which the JVM compiles to SIMD code. */
final class Rows {
    private Rows() {}

    /**
     * Adds a weighted sum of rows: {@code y += sum over k of w[wAt + k wStep] x[xAt + steps[k]]}.
     *
     * @param n the number of elements of a row
     * @param y [n] float32
     * @param x [rows][n] float32
     * @param steps the distance of each summed row from the row xAt
     * @param wAt the index of the first weight
     * @param wStep the distance of the weights
     */
    static void addSum(int n, float[] y, float[][] x, int xAt, int[] steps, float[] w, int wAt, int wStep) {
        int k = 0;
        for (; k + 4 <= steps.length; k += 4) {
            float[] a = x[xAt + steps[k]];
            float[] b = x[xAt + steps[k + 1]];
            float[] c = x[xAt + steps[k + 2]];
            float[] d = x[xAt + steps[k + 3]];
            int at = wAt + k * wStep;
            add(n, y, w[at], a, w[at + wStep], b, w[at + 2 * wStep], c, w[at + 3 * wStep], d);
        }
        for (; k < steps.length; k++) {
            add(n, y, w[wAt + k * wStep], x[xAt + steps[k]]);
        }
    }

    private static void add(int n, float[] y, float weight, float[] x) {
        for (int i = 0; i < n; i++) {
            y[i] += weight * x[i];
        }
    }

    private static void add(
            int n, float[] y, float p, float[] a, float q, float[] b, float r, float[] c, float s, float[] d) {
        for (int i = 0; i < n; i++) {
            y[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
        }
    }

    /** Adds the products of two pairs of rows: {@code y += a b + c d}. */
    static void addProducts(int n, float[] y, float[] a, float[] b, float[] c, float[] d) {
        for (int i = 0; i < n; i++) {
            y[i] += a[i] * b[i] + c[i] * d[i];
        }
    }

    /** Adds the product of two rows: {@code y += a b}. */
    static void addProduct(int n, float[] y, float[] a, float[] b) {
        for (int i = 0; i < n; i++) {
            y[i] += a[i] * b[i];
        }
    }

    static float sum(int n, float[] row) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += row[i];
        }
        return sum;
    }

    /** Sets all rows to 0. */
    static void clear(int n, float[][] rows) {
        for (float[] row : rows) {
            Arrays.fill(row, 0, n, 0);
        }
    }

    /** Returns the distances 0, step, 2 step, .. */
    static int[] every(int step, int count) {
        int[] steps = new int[count];
        Arrays.setAll(steps, k -> k * step);
        return steps;
    }
}
