package io.psf.builtin.policy;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/** Finds the k rows of the lowest ranks by counting, in passes over the rows without a copy of their ranks. */
final class Lowest {
    private static final int BITS = 16;

    private Lowest() {}

    /**
     * Returns the k-th lowest rank.
     *
     * @param rows the number of rows
     * @param rank the rank of a row, at least 0, below 2^63; {@code Long.MAX_VALUE} excludes the row
     * @param k from 1 to the number of rows that are not excluded
     */
    static long rank(int rows, IntToLongFunction rank, int k) {
        long prefix = 0;
        int left = k;
        int[] counts = new int[1 << BITS];
        for (int shift = Long.SIZE - BITS; shift >= 0; shift -= BITS) {
            Arrays.fill(counts, 0);
            for (int row = 0; row < rows; row++) {
                long value = rank.applyAsLong(row);
                if (shift == Long.SIZE - BITS || value >>> (shift + BITS) == prefix) {
                    counts[(int) (value >>> shift) & 0xffff]++;
                }
            }
            int digit = 0;
            while (left > counts[digit]) {
                left -= counts[digit++];
            }
            prefix = prefix << BITS | digit;
        }
        return prefix;
    }
}
