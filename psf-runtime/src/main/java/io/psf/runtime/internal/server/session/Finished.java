package io.psf.runtime.internal.server.session;

import java.util.Arrays;

/**
 * The numbers of the calls that a caller has reported as done: all numbers below a limit, and a window of later ones
 * with one bit each. A number that falls behind the window counts as finished. Not thread-safe: the caller
 * synchronizes.
 */
final class Finished {
    private static final int MOST = 1 << 20;

    /** One bit per number, at the number modulo the number of bits; grows to {@link #MOST} bits. */
    private long[] bits = new long[16];

    /** Every smaller number is finished. */
    private long below;

    /** Numbers from here on are not finished. */
    private long end;

    /** True if the caller has reported the call of that number as done. */
    boolean contains(long number) {
        return number < below || number < end && (bits[word(number)] & 1L << number) != 0;
    }

    void add(long number) {
        if (number < below) {
            return;
        }
        if (number >= below + size()) {
            widen(number);
        }
        clearTo(number + 1);
        bits[word(number)] |= 1L << number;
    }

    /** Adds all numbers below {@code number}. */
    void addBelow(long number) {
        below = Math.max(below, number);
        end = Math.max(end, below);
    }

    private long size() {
        return 64L * bits.length;
    }

    private int word(long number) {
        return (int) (number >>> 6) & bits.length - 1;
    }

    /** Clears the bits from the end to a new end: they belong to numbers that have fallen behind the window. */
    private void clearTo(long newEnd) {
        if (newEnd - end >= size()) {
            Arrays.fill(bits, 0);
            end = newEnd;
        }
        for (; end < newEnd; end++) {
            bits[word(end)] &= ~(1L << end);
        }
    }

    /** Makes the window include a number: enlarges it up to its maximum, then moves it. */
    private void widen(long number) {
        int words = bits.length;
        while (64L * words < MOST && number >= below + 64L * words) {
            words *= 2;
        }
        if (words > bits.length) {
            Finished wider = new Finished();
            wider.bits = new long[words];
            wider.below = below;
            wider.end = below;
            for (long each = below; each < end; each++) {
                if (contains(each)) {
                    wider.clearTo(each + 1);
                    wider.bits[wider.word(each)] |= 1L << each;
                }
            }
            wider.clearTo(end);
            bits = wider.bits;
        }
        if (number >= below + size()) {
            below = number + 1 - size();
            end = Math.max(end, below);
        }
    }
}
