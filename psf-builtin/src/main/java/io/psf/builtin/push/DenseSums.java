package io.psf.builtin.push;

import io.psf.api.array.FloatArray;
import java.util.List;

/** Sums of whole updates, all of them in one pass: each is read once, and the sum is written once. */
public final class DenseSums {
    /** Elements that are added together: two tiles lie in the level 1 cache, and loops over them are vectorized. */
    private static final int TILE = 1024;

    /**
     * Loops go over multiples of so many elements; those behind the last are nobody's. A loop that has been compiled for
     * updates of a few elements is slow for all others.
     */
    private static final int MULTIPLE = 64;

    private DenseSums() {}

    /**
     * Adds updates up, in their order: ((first + second) + third) and so on, element by element.
     *
     * @param updates at least one, each [n] float32
     * @param scale multiplies each sum, unless it is 1
     * @param into [n] float32; none of the updates but perhaps the first
     */
    public static void add(List<FloatArray> updates, float scale, FloatArray into) {
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
            if (scale != 1) {
                int end = padded(some);
                for (int i = 0; i < end; i++) {
                    sums[i] *= scale;
                }
            }
            into.copyFrom(at, sums, 0, some);
        }
    }

    private static int padded(int n) {
        return (n + MULTIPLE - 1) & -MULTIPLE;
    }
}
