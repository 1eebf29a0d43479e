package io.psf.builtin;

import io.psf.builtin.initializer.Distribution;

/** Factory methods for the initial values of a tensor. */
public final class Initializers {
    private Initializers() {}

    /** Sets every element to {@code value}. */
    public static Initializer constant(double value) {
        return new Initializer(Distribution.CONSTANT, value, 0, 0);
    }

    /**
     * Draws from the uniform distribution over [a, b).
     *
     * @throws IllegalArgumentException unless a &lt; b and both are finite
     */
    public static Initializer uniform(double a, double b, long seed) {
        return new Initializer(Distribution.UNIFORM, a, b, seed);
    }

    /**
     * Draws from the normal distribution.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer normal(double mean, double stddev, long seed) {
        return new Initializer(Distribution.NORMAL, mean, stddev, seed);
    }

    /**
     * Draws from the normal distribution. A value that is farther than two standard deviations from the mean is drawn
     * again.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer truncatedNormal(double mean, double stddev, long seed) {
        return new Initializer(Distribution.TRUNCATED_NORMAL, mean, stddev, seed);
    }
}
