package io.psf.benchmarks;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A line that has been measured: what psf took and what the floor took, round by round.
 *
 * @param line what was measured
 * @param ours [rounds]
 * @param floor [rounds]; NaN where there is none
 * @param others the share of the machine that others took meanwhile, from 0 to 1
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

    /** The same, with what others took besides. */
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

    /** The median of the rounds' ratios; NaN without a floor. */
    double ratio() {
        return median(ratios());
    }

    /** The least of the rounds' ratios; of our own figures where there is no floor. */
    double least() {
        return Arrays.stream(hasFloor() ? ratios() : ours).min().orElseThrow();
    }

    /** The greatest of them. */
    double greatest() {
        return Arrays.stream(hasFloor() ? ratios() : ours).max().orElseThrow();
    }

    /** The verdict on the goal, open where others took much of the machine; null where there is no goal. */
    Goal.@Nullable Verdict verdict() {
        Goal goal = line.goal();
        if (goal == null) {
            return null;
        }
        double[] figures = goal.of() == Goal.Of.RATIO ? ratios() : ours.clone();
        Arrays.sort(figures);
        int n = figures.length;
        // Ranks between which the median lies with 95 % confidence: binomial, by the normal distribution.
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

    /** The middle one, or the mean of the middle two. */
    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The figures on one line, for the process that started the worker; it knows the line by its name. */
    String encode() {
        return line.name() + "\t" + text(ours) + "\t" + text(floor) + "\t" + others;
    }

    private static String text(double[] values) {
        return Arrays.stream(values).mapToObj(Double::toString).collect(Collectors.joining(" "));
    }

    /** The figures that {@link #encode} has written. */
    static double[] decode(String text) {
        return Arrays.stream(text.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }
}
