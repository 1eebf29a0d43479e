package io.psf.builtin.initializer;

import io.psf.api.PsInitializer;

/**
 * Uniform in [a, b): element e is {@code clamp(a + (b - a) * u(e, 0))}, with the functions of the package's
 * description.
 *
 * @param a the lower bound
 * @param b the upper bound, exclusive
 * @param seed the random seed; the same seed gives the same values
 * @param least the least float of the interval
 * @param greatest the greatest float of the interval
 */
public record Uniform(double a, double b, long seed, float least, float greatest) implements Generator {
    /** Checks the arguments. */
    @PsInitializer("psf.uniform")
    public Uniform(double a, double b, long seed) {
        this(a, b, seed, Bounds.halfOpen(a, b));
        DistributionChecks.finite("a", a);
        DistributionChecks.finite("b", b);
        DistributionChecks.require(
                a < b && least <= greatest, "range", "[" + a + ", " + b + ")", "a < b, a float32 between");
    }

    private Uniform(double a, double b, long seed, Bounds bounds) {
        this(a, b, seed, bounds.least(), bounds.greatest());
    }

    /** Returns the stream of the seed. */
    public long key() {
        return Counter.key(seed);
    }

    @Override
    public float value(long element) {
        return Bounds.round(a + (b - a) * Counter.uniform(Counter.stream(key(), element), 0), least, greatest);
    }
}
