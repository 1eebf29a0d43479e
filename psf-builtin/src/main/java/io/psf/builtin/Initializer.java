package io.psf.builtin;

import io.psf.builtin.initializer.Distribution;

/**
 * The initial values of a tensor. Each value is a function of the seed and of the element's index in the whole tensor,
 * so the values are the same on any number of servers. Created by {@link Initializers}.
 *
 * @param distribution the kind of distribution
 * @param a the constant, the lower bound, or the mean
 * @param b the upper bound or the standard deviation; 0 for a constant
 * @param seed the random seed; the same seed gives the same values
 */
public record Initializer(Distribution distribution, double a, double b, long seed) {
    /** Checks the arguments. Throws {@link IllegalArgumentException} if an argument is invalid for the distribution. */
    public Initializer {
        var unused = distribution.generator(a, b, seed);
    }

    @Override
    public String toString() {
        return distribution == Distribution.CONSTANT
                ? "CONSTANT(" + a + ")"
                : distribution + "(" + a + ", " + b + ", seed=" + seed + ")";
    }
}
