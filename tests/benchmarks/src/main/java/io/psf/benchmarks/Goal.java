package io.psf.benchmarks;

import java.util.Locale;

/**
 * The goal of a line.
 *
 * @param of the compared figure
 * @param atMost true if the bound is the allowed maximum, false if it is the minimum
 * @param bound the bound
 */
record Goal(Of of, boolean atMost, double bound) {
    /** The figure that a goal bounds. */
    enum Of {
        /** The ratio of our figure to the floor's. */
        RATIO,
        /** Our figure, in the unit of the line. */
        OURS
    }

    /** The relative difference that is expected between runs, beyond the spread within a run. */
    private static final double MARGIN = 0.03;

    /** The outcome of a measurement. */
    enum Verdict {
        MET,
        MISSED,
        /** The goal is within the confidence interval of the figure, extended by the margin. */
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

    static Goal oursAtLeast(double bound) {
        return new Goal(Of.OURS, false, bound);
    }

    /**
     * Returns the verdict on a figure whose median is, with some confidence, between two numbers. A run in other
     * processes may differ slightly, so the verdict is undecided if the goal is within this margin.
     */
    Verdict verdict(double least, double greatest) {
        double best = (atMost ? least : greatest) * (atMost ? 1 - MARGIN : 1 + MARGIN);
        double worst = (atMost ? greatest : least) * (atMost ? 1 + MARGIN : 1 - MARGIN);
        if (isReachedBy(worst)) {
            return Verdict.MET;
        }
        return isReachedBy(best) ? Verdict.UNDECIDED : Verdict.MISSED;
    }

    /** True if the figure reaches the goal; false for NaN. */
    private boolean isReachedBy(double figure) {
        return atMost ? figure <= bound : figure >= bound;
    }

    /** Returns the goal as text, such as {@code <= 1.6} or {@code <= 8 us}. */
    String text(String unit) {
        String number = bound == Math.rint(bound) ? String.format(Locale.ROOT, "%.0f", bound) : Double.toString(bound);
        return (atMost ? "<= " : ">= ") + number + (of == Of.OURS ? " " + unit : "");
    }
}
