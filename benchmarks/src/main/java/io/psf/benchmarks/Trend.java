package io.psf.benchmarks;

import java.util.Arrays;

/** Whether something that is looked at again and again has stopped growing. */
final class Trend {
    /** Fewer samples say nothing. */
    static final int LEAST = 6;

    private Trend() {}

    /**
     * Whether it stayed flat: the last third is on average not above the middle third, give or take. The first third is
     * the way to the level.
     *
     * @param samples [n], in order
     * @param fraction of the level that growth may be
     * @param absolute what growth may be beside that
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
