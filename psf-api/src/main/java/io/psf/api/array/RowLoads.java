package io.psf.api.array;

import java.nio.FloatBuffer;

/**
 * Loads rows into the processor's cache before they are copied. A loop that copies rows at random waits for each of them;
 * the loads here do not depend on each other, so that the processor makes many at a time.
 */
final class RowLoads {
    /** Elements in a cache line on most machines. */
    private static final int LINE = 64 / Float.BYTES;

    /** The cache lines that are loaded ahead of the rows that use them: somewhat more than a core loads at a time. */
    private static final int LINES_AHEAD = 48;

    /** Rows of more lines are not loaded ahead: the processor loads the lines that follow the first ones by itself. */
    private static final int MOST_LINES = 8;

    /** Arrays of fewer elements stay in the second-level cache of a core. */
    private static final int IN_CACHE = 1 << 15;

    private RowLoads() {}

    /** True if copying rows at random from an array is faster if they are loaded ahead. */
    static boolean areWorthIt(int length, int width) {
        return length >= IN_CACHE && width <= MOST_LINES * LINE;
    }

    /** Returns the number of rows of a width that are loaded at a time, at least 6. */
    static int ahead(int width) {
        return LINES_AHEAD * LINE / width;
    }

    /**
     * Loads the rows {@code [from, to)} of those in {@code rows}. The outer loop is over the lines of a row: the loads of one
     * row's lines would follow each other otherwise.
     *
     * @return a sum that the caller has to keep, so that the JIT does not remove the loads
     */
    static int load(FloatBuffer data, int[] rows, int from, int to, int width) {
        int sum = 0;
        for (int at = 0; at < width; at += LINE) {
            for (int i = from; i < to; i++) {
                sum += Float.floatToRawIntBits(data.get(rows[i] * width + at));
            }
        }
        for (int i = from; i < to; i++) { // a row that begins within a line ends in another one
            sum += Float.floatToRawIntBits(data.get(rows[i] * width + width - 1));
        }
        return sum;
    }
}
