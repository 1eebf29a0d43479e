package io.psf.builtin.initializer;

/**
 * Normal: element e is {@code (float) (a + b * q(u(e, 0)))}, with the functions of the package's description.
 *
 * @param a the mean
 * @param b the standard deviation
 * @param key the stream of the seed
 */
public record Normal(double a, double b, long key) implements Generator {
    @Override
    public float value(long element) {
        return (float) (a + b * Gauss.quantile(Counter.uniform(Counter.stream(key, element), 0)));
    }
}
