package io.psf.builtin.initializer;

import io.psf.api.PsInitializer;

/**
 * Normal, with values farther than 2 b from a drawn again: element e is {@code clamp(a + b * z)}, with z the first of
 * {@code q(u(e, 0)), q(u(e, 1)), ..} from -2 to 2, and the functions of the package's description.
 *
 * @param mean the mean, a in the formula
 * @param stddev the standard deviation, b in the formula
 * @param seed the random seed; the same seed gives the same values
 * @param least the least float from a - 2 b to a + 2 b
 * @param greatest the greatest float from a - 2 b to a + 2 b
 */
public record TruncatedNormal(double mean, double stddev, long seed, float least, float greatest) implements Generator {
    /** Checks the arguments. */
    @PsInitializer("psf.truncated-normal")
    public TruncatedNormal(double mean, double stddev, long seed) {
        this(mean, stddev, seed, Bounds.closed(mean - 2 * stddev, mean + 2 * stddev));
        DistributionChecks.finite("mean", mean);
        DistributionChecks.positive("stddev", stddev);
    }

    private TruncatedNormal(double mean, double stddev, long seed, Bounds bounds) {
        this(mean, stddev, seed, bounds.least(), bounds.greatest());
    }

    /** Returns the stream of the seed. */
    public long key() {
        return Counter.key(seed);
    }

    @Override
    public float value(long element) {
        long stream = Counter.stream(key(), element);
        double z = Gauss.quantile(Counter.uniform(stream, 0));
        for (int draw = 1; Math.abs(z) > 2; draw++) {
            z = Gauss.quantile(Counter.uniform(stream, draw));
        }
        return Bounds.round(mean + stddev * z, least, greatest);
    }
}
