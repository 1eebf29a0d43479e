package io.psf.builtin;

import io.psf.builtin.initializer.Distribution;

/**
 * What a tensor's first values are: a function of the seed and an element's number in the whole tensor, the same on any
 * number of servers. Made by {@link Initializers}.
 *
 * @param distribution the kind of values
 * @param a the constant, the lower end, or the mean
 * @param b the upper end or the standard deviation; 0 for a constant
 * @param seed the same seed gives the same values
 */
public record Initializer(Distribution distribution, double a, double b, long seed) {
    /** Checks the arguments: {@link IllegalArgumentException} if one contradicts the kind. */
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
