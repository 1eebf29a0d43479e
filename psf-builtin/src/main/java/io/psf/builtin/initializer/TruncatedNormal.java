package io.psf.builtin.initializer;

/**
 * Normal, with values farther than 2 b from a drawn again: element e is {@code clamp(a + b * z)}, with z the first of
 * {@code q(u(e, 0)), q(u(e, 1)), ..} from -2 to 2, and the functions of the package's description.
 *
 * @param a the mean
 * @param b the standard deviation
 * @param key the stream of the seed
 * @param least the least float from a - 2 b to a + 2 b
 * @param greatest the greatest float from a - 2 b to a + 2 b
 */
public record TruncatedNormal(double a, double b, long key, float least, float greatest) implements Generator {
    @Override
    public float value(long element) {
        long stream = Counter.stream(key, element);
        double z = Gauss.quantile(Counter.uniform(stream, 0));
        for (int draw = 1; Math.abs(z) > 2; draw++) {
            z = Gauss.quantile(Counter.uniform(stream, draw));
        }
        return Bounds.round(a + b * z, least, greatest);
    }
}
