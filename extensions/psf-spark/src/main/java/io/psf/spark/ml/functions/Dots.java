package io.psf.spark.ml.functions;

/**
 * Dot products of several vectors at once, summed in float32. The JIT does not vectorize sums of float32, whose order
 * it keeps: independent sums keep the units of the processor busy, and each value that is loaded is used more than
 * once.
 */
final class Dots {
    private Dots() {}

    /** Multiplies two vectors and three. The products of b are written first: b may be a, with the same place. */
    static void of(float[] a, float[] b, float[] x, float[] y, float[] z, int width, float[] into, int at, int next) {
        float ax = 0;
        float ay = 0;
        float az = 0;
        float bx = 0;
        float by = 0;
        float bz = 0;
        for (int d = 0; d < width; d++) {
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

    /** Multiplies two vectors and one. */
    static void of(float[] a, float[] b, float[] x, int width, float[] into, int at, int next) {
        float ax = 0;
        float bx = 0;
        for (int d = 0; d < width; d++) {
            ax = Math.fma(a[d], x[d], ax);
            bx = Math.fma(b[d], x[d], bx);
        }
        into[next] = bx;
        into[at] = ax;
    }
}
