package io.psf.builtin;

import io.psf.builtin.initializer.Distribution;

/** The ways to give a tensor its first values. */
public final class Initializers {
    private Initializers() {}

    /** Every element is {@code value}. */
    public static Initializer constant(double value) {
        return new Initializer(Distribution.CONSTANT, value, 0, 0);
    }

    /**
     * Uniform in [a, b).
     *
     * @throws IllegalArgumentException unless a &lt; b and both are finite
     */
    public static Initializer uniform(double a, double b, long seed) {
        return new Initializer(Distribution.UNIFORM, a, b, seed);
    }

    /**
     * Normal.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer normal(double mean, double stddev, long seed) {
        return new Initializer(Distribution.NORMAL, mean, stddev, seed);
    }

    /**
     * Normal, drawn again while farther than two standard deviations from the mean.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer truncatedNormal(double mean, double stddev, long seed) {
        return new Initializer(Distribution.TRUNCATED_NORMAL, mean, stddev, seed);
    }
}
