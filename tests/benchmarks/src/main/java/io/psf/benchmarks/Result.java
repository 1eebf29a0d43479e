package io.psf.benchmarks;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A measured line: the figures of psf and of the floor, round by round.
 *
 * @param line the measured line
 * @param ours [rounds], psf's figures
 * @param floor [rounds], the floor's figures; NaN if the line has no floor
 * @param others the share of the machine that other processes took meanwhile, from 0 to 1
 */
record Result(Line line, double[] ours, double[] floor, double others) {
    Result {
        if (ours.length == 0 || ours.length != floor.length) {
            throw new IllegalArgumentException("rounds of \"" + line.name() + "\": " + ours.length + " and "
                    + floor.length + " (expected: as many of both, at least 1)");
        }
    }

    Result(Line line, double[] ours, double[] floor) {
        this(line, ours, floor, 0);
    }

    /** Returns a copy with a share of other load added. */
    Result disturbedBy(double share) {
        return new Result(line, ours, floor, Math.min(1, others + share));
    }

    boolean hasFloor() {
        return !Double.isNaN(floor[0]);
    }

    double oursMedian() {
        return median(ours);
    }

    double floorMedian() {
        return median(floor);
    }

    /** Returns the median of the rounds' ratios; NaN without a floor. */
    double ratio() {
        return median(ratios());
    }

    /** Returns the least of the rounds' ratios, or of our figures without a floor. */
    double least() {
        return Arrays.stream(hasFloor() ? ratios() : ours).min().orElseThrow();
    }

    /** Returns the greatest of the rounds' ratios, or of our figures without a floor. */
    double greatest() {
        return Arrays.stream(hasFloor() ? ratios() : ours).max().orElseThrow();
    }

    /** Returns the verdict on the goal. Undecided if other processes took much of the machine; null without a goal. */
    Goal.@Nullable Verdict verdict() {
        Goal goal = line.goal();
        if (goal == null) {
            return null;
        }
        double[] figures = goal.of() == Goal.Of.RATIO ? ratios() : ours.clone();
        Arrays.sort(figures);
        int n = figures.length;
        // Ranks of the 95 % confidence interval of the median: binomial, approximated by the normal distribution.
        int below = Math.max(0, (int) Math.floor((n - 1.96 * Math.sqrt(n)) / 2) - 1);
        Goal.Verdict verdict = goal.verdict(figures[below], figures[n - 1 - below]);
        return others < OtherLoad.SPOILS ? verdict : Goal.Verdict.UNDECIDED;
    }

    private double[] ratios() {
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours[i] / floor[i];
        }
        return ratios;
    }

    /** Returns the median: the middle value, or the mean of the middle two. */
    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the figures as one line of text, for the parent process, which identifies the line by its name. */
    String encode() {
        return line.name() + "\t" + text(ours) + "\t" + text(floor) + "\t" + others;
    }

    private static String text(double[] values) {
        return Arrays.stream(values).mapToObj(Double::toString).collect(Collectors.joining(" "));
    }

    /** Parses figures that {@link #encode} has written. */
    static double[] decode(String text) {
        return Arrays.stream(text.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }
}
