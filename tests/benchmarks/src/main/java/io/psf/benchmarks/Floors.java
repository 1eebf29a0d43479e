package io.psf.benchmarks;

/** The floors of one thread with heap arrays, as plain loops. */
final class Floors {
    private Floors() {}

    /** {@code y += a x}. */
    static void saxpy(float[] y, float a, float[] x) {
        for (int i = 0; i < y.length; i++) {
            y[i] += a * x[i];
        }
    }

    /** Copies x to y. */
    static void copy(float[] x, float[] y) {
        System.arraycopy(x, 0, y, 0, x.length);
    }

    /**
     * Reads rows.
     *
     * @param table [rows, width]
     * @param keys [n]
     * @param into [n, width]
     */
    static void gather(float[] table, int width, long[] keys, float[] into) {
        for (int i = 0; i < keys.length; i++) {
            System.arraycopy(table, (int) keys[i] * width, into, i * width, width);
        }
    }

    /**
     * Steps rows: {@code row -= rate * update}.
     *
     * @param table [rows, width]
     * @param keys [n]
     * @param update [n, width]
     */
    static void scatter(float[] table, int width, long[] keys, float[] update, float rate) {
        for (int i = 0; i < keys.length; i++) {
            int row = (int) keys[i] * width;
            int from = i * width;
            for (int j = 0; j < width; j++) {
                table[row + j] -= rate * update[from + j];
            }
        }
    }
}
