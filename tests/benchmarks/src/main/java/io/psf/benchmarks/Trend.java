package io.psf.benchmarks;

import java.util.Arrays;

/** Decides whether a series of samples has stopped growing. */
final class Trend {
    /** The minimum number of samples. */
    static final int LEAST = 6;

    private Trend() {}

    /**
     * True if the series stayed flat: the mean of the last third exceeds the mean of the middle third by no more than
     * the tolerance. The first third is ignored as warm-up.
     *
     * @param samples [n], in order
     * @param fraction the allowed growth as a fraction of the level
     * @param absolute the allowed growth in addition
     */
    static boolean isFlat(double[] samples, double fraction, double absolute) {
        if (samples.length < LEAST) {
            throw new IllegalArgumentException("samples: " + samples.length + " (expected: >= " + LEAST + ")");
        }
        int third = samples.length / 3;
        double last = mean(samples, samples.length - third, samples.length);
        double middle = mean(samples, samples.length - 2 * third, samples.length - third);
        return last - middle <= middle * fraction + absolute;
    }

    private static double mean(double[] samples, int begin, int end) {
        return Arrays.stream(samples, begin, end).average().orElseThrow();
    }
}
