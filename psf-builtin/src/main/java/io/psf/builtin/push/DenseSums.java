package io.psf.builtin.push;

import io.psf.api.array.FloatArray;
import java.util.List;

/** Sums dense updates in one pass: reads each update once and writes the sum once. */
public final class DenseSums {
    /**
     * The number of elements in a tile. Two tiles fit into the level 1 cache, and the JIT vectorizes loops over them.
     */
    private static final int TILE = 1024;

    /**
     * Loops run over multiples of this many elements; the elements after the last one are padding. A loop that the JIT
     * has compiled for updates of a few elements is slow for longer updates.
     */
    private static final int MULTIPLE = 64;

    private DenseSums() {}

    /**
     * Adds updates element by element, in list order: ((first + second) + third) and so on.
     *
     * @param updates at least one update, each [n] float32
     * @param divisor the number that each sum is divided by: the number of pushes for their mean. A product with its
     *     inverse would have other bits
     * @param into [n] float32; may be the first update, but no other
     */
    public static void add(List<FloatArray> updates, float divisor, FloatArray into) {
        int n = into.length();
        float[] sums = new float[Math.min(TILE, padded(n))];
        float[] more = new float[sums.length];
        for (int at = 0; at < n; at += TILE) {
            int some = Math.min(TILE, n - at);
            updates.get(0).copyTo(at, sums, 0, some);
            for (int u = 1; u < updates.size(); u++) {
                updates.get(u).copyTo(at, more, 0, some);
                int end = padded(some);
                for (int i = 0; i < end; i++) {
                    sums[i] += more[i];
                }
            }
            if (divisor != 1) {
                int end = padded(some);
                for (int i = 0; i < end; i++) {
                    sums[i] /= divisor;
                }
            }
            into.copyFrom(at, sums, 0, some);
        }
    }

    /** Divides each value by a number. */
    public static void divide(FloatArray values, float divisor) {
        add(List.of(values), divisor, values);
    }

    private static int padded(int n) {
        return (n + MULTIPLE - 1) & -MULTIPLE;
    }
}
