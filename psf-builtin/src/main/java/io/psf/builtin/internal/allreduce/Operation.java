package io.psf.builtin.internal.allreduce;

import io.psf.api.array.FloatArray;
import io.psf.builtin.push.DenseSums;
import java.util.List;

/** The operation of an all-reduce on the workers' values, element by element. The ordinal is the number on the wire. */
public enum Operation {
    /** The sum, in the order of the workers' ranks. */
    SUM,
    /** The sum divided by the number of workers that have sent values. */
    MEAN,
    /** The greatest value; NaN if one of them is. */
    MAX;

    private static final int TILE = 1024;

    /**
     * Combines values, in list order. The mean is not divided here.
     *
     * @param values at least one array, each [n] float32
     * @param into [n] float32; may be the first array, but no other
     */
    void combine(List<FloatArray> values, FloatArray into) {
        if (this == MAX) {
            max(values, into);
        } else {
            DenseSums.add(values, 1, into);
        }
    }

    private static void max(List<FloatArray> values, FloatArray into) {
        int n = into.length();
        float[] greatest = new float[Math.min(TILE, n)];
        float[] more = new float[greatest.length];
        for (int at = 0; at < n; at += TILE) {
            int some = Math.min(TILE, n - at);
            values.get(0).copyTo(at, greatest, 0, some);
            for (int v = 1; v < values.size(); v++) {
                values.get(v).copyTo(at, more, 0, some);
                for (int i = 0; i < some; i++) {
                    greatest[i] = Math.max(greatest[i], more[i]);
                }
            }
            into.copyFrom(at, greatest, 0, some);
        }
    }
}
