package io.psf.spark.ml;

/** Loops over several vectors of one length at once: each value that is loaded is used more than once. */
final class VectorLoops {
    private VectorLoops() {}

    /**
     * Multiplies two vectors and n others. The products of b are written first: b may be a, with the same place. The
     * JIT does not vectorize sums of float32, whose order it keeps: independent sums keep the processor's units busy.
     *
     * @param at the index of the first product of a
     * @param next the index of the first product of b
     */
    static void multiply(float[] a, float[] b, float[][] others, int n, float[] into, int at, int next) {
        int i = 0;
        for (; i + 2 < n; i += 3) {
            multiply(a, b, others[i], others[i + 1], others[i + 2], into, at + i, next + i);
        }
        for (; i < n; i++) {
            multiply(a, b, others[i], into, at + i, next + i);
        }
    }

    private static void multiply(
            float[] a, float[] b, float[] x, float[] y, float[] z, float[] into, int at, int next) {
        float ax = 0;
        float ay = 0;
        float az = 0;
        float bx = 0;
        float by = 0;
        float bz = 0;
        for (int d = 0; d < a.length; d++) {
            float s = a[d];
            float t = b[d];
            ax = Math.fma(s, x[d], ax);
            ay = Math.fma(s, y[d], ay);
            az = Math.fma(s, z[d], az);
            bx = Math.fma(t, x[d], bx);
            by = Math.fma(t, y[d], by);
            bz = Math.fma(t, z[d], bz);
        }
        into[next] = bx;
        into[next + 1] = by;
        into[next + 2] = bz;
        into[at] = ax;
        into[at + 1] = ay;
        into[at + 2] = az;
    }

    private static void multiply(float[] a, float[] b, float[] x, float[] into, int at, int next) {
        float ax = 0;
        float bx = 0;
        for (int d = 0; d < a.length; d++) {
            ax = Math.fma(a[d], x[d], ax);
            bx = Math.fma(b[d], x[d], bx);
        }
        into[next] = bx;
        into[at] = ax;
    }

    static void add(float[] sum, float[] x) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += x[d];
        }
    }

    /**
     * Adds n vectors, times their factors.
     *
     * @param at the index of the first vector's factor
     * @param step the distance of two factors
     */
    static void add(float[] sum, float[][] vectors, int n, float[] factors, int at, int step) {
        int i = 0;
        int next = at;
        for (; i + 2 < n; i += 3, next += 3 * step) {
            add(
                    sum,
                    factors[next],
                    vectors[i],
                    factors[next + step],
                    vectors[i + 1],
                    factors[next + 2 * step],
                    vectors[i + 2]);
        }
        for (; i < n; i++, next += step) {
            add(sum, factors[next], vectors[i]);
        }
    }

    private static void add(float[] sum, float a, float[] x) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += a * x[d];
        }
    }

    private static void add(float[] sum, float a, float[] x, float b, float[] y, float c, float[] z) {
        for (int d = 0; d < sum.length; d++) {
            sum[d] += a * x[d] + b * y[d] + c * z[d];
        }
    }
}
