package io.psf.builtin.policy;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * The rows of the lowest ranks, which are found by counting: one pass over the marks for each 16 bits of a rank that
 * have to be known, without a copy of the ranks, and one for the rows.
 */
final class Lowest {
    private static final int BITS = 16;

    private final HostMarks marks;
    private final boolean byCount;
    /** The number of the push whose rows are left out; -1 for none. */
    private final int leftOut;

    private final int[] counts = new int[1 << BITS];
    /** The bits of a rank from {@link #shift} on, below which lie all ranks that are chosen for certain. */
    private long prefix;

    private int shift;
    /** The number of rows to choose among those with the prefix. */
    private int left;

    Lowest(HostMarks marks, boolean byCount, int leftOut) {
        this.marks = marks;
        this.byCount = byCount;
        this.leftOut = leftOut;
    }

    /**
     * Chooses rows. Of the rows of one rank, the rows of the lowest keys come first: a memory in which several threads
     * create the rows of a push numbers them in any order.
     *
     * @param most the number of rows to choose, at least 1; fewer if fewer may be chosen
     * @param key the key of a row
     * @return the keys of the rows of the lowest ranks
     */
    long[] keys(int most, IntToLongFunction key) {
        shift = byCount ? Long.SIZE - BITS : Integer.SIZE - BITS; // a step has 31 bits
        prefix = 0;
        left = Math.min(most, marks.countDigits(this, counts));
        int k = left;
        if (k == 0) {
            return new long[0];
        }
        int same = nextDigit();
        while (shift > 0 && same > left) {
            shift -= BITS;
            Arrays.fill(counts, 0);
            marks.countDigits(this, counts);
            same = nextDigit();
        }
        int lower = k - left;
        long[] keys = new long[lower + same];
        int[] at = {0, lower};
        marks.choose(this, (row, compared) -> keys[at[compared < 0 ? 0 : 1]++] = key.applyAsLong(row));
        if (same > left) {
            Arrays.sort(keys, lower, keys.length);
        }
        return Arrays.copyOf(keys, k);
    }

    /** Takes a row that may be chosen. */
    @FunctionalInterface
    interface Chosen {
        /**
         * Takes a row whose rank is lower than the rank that decides ({@code compared} is negative), or equals it (0).
         */
        void take(int row, int compared);
    }

    /** Moves to the digit that decides. Returns the number of rows that have it. */
    private int nextDigit() {
        int digit = 0;
        while (left > counts[digit]) {
            left -= counts[digit++];
        }
        prefix = prefix << BITS | digit;
        return counts[digit];
    }

    /** Returns the 16 bits that are counted of a rank; -1 if the rank has another prefix. */
    int digit(long rank) {
        return rank >>> shift >>> BITS == prefix ? (int) (rank >>> shift) & 0xffff : -1;
    }

    /**
     * Negative for a rank that is chosen, 0 for the one of which as many are chosen as are left, positive for others.
     */
    int compare(long rank) {
        return Long.compare(rank >>> shift, prefix);
    }

    boolean byCount() {
        return byCount;
    }

    int leftOut() {
        return leftOut;
    }
}
