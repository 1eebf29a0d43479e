package io.psf.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * One case: what psf took and what the floor took, round by round.
 *
 * @param name the case
 * @param unit of ours and floor
 * @param ours [rounds]
 * @param floor [rounds]
 */
record Result(String name, String unit, double[] ours, double[] floor) {
    double ratio() {
        return median(ratios());
    }

    private double[] ratios() {
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours[i] / floor[i];
        }
        return ratios;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double least(double[] values) {
        return Arrays.stream(values).min().orElse(0);
    }

    private static double greatest(double[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    static String heading() {
        return String.format("%-34s %12s %12s %-11s %7s   %s", "case", "psf", "floor", "unit", "ratio", "spread");
    }

    String row() {
        double[] ratios = ratios();
        return String.format(
                Locale.ROOT,
                "%-34s %12.1f %12.1f %-11s %7.2f   %.2f to %.2f",
                name,
                median(ours),
                median(floor),
                unit,
                ratio(),
                least(ratios),
                greatest(ratios));
    }

    String json() {
        double[] ratios = ratios();
        return String.format(
                Locale.ROOT,
                "{\"case\": \"%s\", \"ours\": %.4f, \"floor\": %.4f, \"unit\": \"%s\", \"ratio\": %.4f, \"rounds\": %d,"
                        + " \"spread\": [%.4f, %.4f]}",
                name,
                median(ours),
                median(floor),
                unit,
                ratio(),
                ours.length,
                least(ratios),
                greatest(ratios));
    }
}
