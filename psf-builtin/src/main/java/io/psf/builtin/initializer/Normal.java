package io.psf.builtin.initializer;

import io.psf.api.PsInitializer;

/**
 * Normal: element e is {@code (float) (a + b * q(u(e, 0)))}, with the functions of the package's description.
 *
 * @param mean the mean, a in the formula
 * @param stddev the standard deviation, b in the formula
 * @param seed the random seed; the same seed gives the same values
 */
@PsInitializer("psf.normal")
public record Normal(double mean, double stddev, long seed) implements Generator {
    /** Checks the arguments. */
    public Normal {
        DistributionChecks.finite("mean", mean);
        DistributionChecks.positive("stddev", stddev);
    }

    /** Returns the stream of the seed. */
    public long key() {
        return Counter.key(seed);
    }

    @Override
    public float value(long element) {
        return (float) (mean + stddev * Gauss.quantile(Counter.uniform(Counter.stream(key(), element), 0)));
    }
}
