package io.psf.benchmarks;

import java.util.Locale;

/**
 * What a case is to reach.
 *
 * @param of what is compared
 * @param atMost whether the bound is the most that is allowed, else it is the least
 * @param bound the number
 */
record Goal(Of of, boolean atMost, double bound) {
    /** What a goal is about. */
    enum Of {
        /** Ours over the floor. */
        RATIO,
        /** Our own figure, in the unit of the line. */
        OURS
    }

    static Goal ratioAtMost(double bound) {
        return new Goal(Of.RATIO, true, bound);
    }

    static Goal ratioAtLeast(double bound) {
        return new Goal(Of.RATIO, false, bound);
    }

    static Goal oursAtMost(double bound) {
        return new Goal(Of.OURS, true, bound);
    }

    /** Whether a measured line reaches it; a figure that is not a number does not. */
    boolean isMet(double ours, double ratio) {
        double figure = of == Of.RATIO ? ratio : ours;
        return atMost ? figure <= bound : figure >= bound;
    }

    /** {@code <= 1.6}, or {@code <= 8 us}. */
    String text(String unit) {
        String number = bound == Math.rint(bound) ? String.format(Locale.ROOT, "%.0f", bound) : Double.toString(bound);
        return (atMost ? "<= " : ">= ") + number + (of == Of.OURS ? " " + unit : "");
    }
}
