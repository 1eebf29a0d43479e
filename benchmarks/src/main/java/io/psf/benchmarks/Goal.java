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

    /** How far two runs may lie apart beyond what a run's own rounds tell. */
    private static final double MARGIN = 0.03;

    /** The outcome of measuring. */
    enum Verdict {
        MET,
        MISSED,
        /** The goal lies within what the figure may be. */
        UNDECIDED
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

    /**
     * The verdict on figures of which it is known, with some confidence, that their median lies between two numbers. A
     * run in other processes may come out a little different, so that a goal that is that near is open.
     */
    Verdict verdict(double least, double greatest) {
        double best = (atMost ? least : greatest) * (atMost ? 1 - MARGIN : 1 + MARGIN);
        double worst = (atMost ? greatest : least) * (atMost ? 1 + MARGIN : 1 - MARGIN);
        if (isReachedBy(worst)) {
            return Verdict.MET;
        }
        return isReachedBy(best) ? Verdict.UNDECIDED : Verdict.MISSED;
    }

    /** False for a figure that is not a number. */
    private boolean isReachedBy(double figure) {
        return atMost ? figure <= bound : figure >= bound;
    }

    /** {@code <= 1.6}, or {@code <= 8 us}. */
    String text(String unit) {
        String number = bound == Math.rint(bound) ? String.format(Locale.ROOT, "%.0f", bound) : Double.toString(bound);
        return (atMost ? "<= " : ">= ") + number + (of == Of.OURS ? " " + unit : "");
    }
}
