package io.psf.builtin.initializer;

/**
 * Uniform in [a, b): element e is {@code clamp(a + (b - a) * u(e, 0))}, with the functions of the package's
 * description.
 *
 * @param a the lower bound
 * @param b the upper bound, exclusive
 * @param key the stream of the seed
 * @param least the least float of the interval
 * @param greatest the greatest float of the interval
 */
public record Uniform(double a, double b, long key, float least, float greatest) implements Generator {
    @Override
    public float value(long element) {
        return Bounds.round(a + (b - a) * Counter.uniform(Counter.stream(key, element), 0), least, greatest);
    }
}
