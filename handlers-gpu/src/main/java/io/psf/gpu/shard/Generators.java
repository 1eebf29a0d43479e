package io.psf.gpu.shard;

import io.psf.builtin.initializer.Constant;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.initializer.TruncatedNormal;
import io.psf.builtin.initializer.Uniform;
import org.jspecify.annotations.Nullable;

/**
 * A generator of initial values, as the kernels take it.
 *
 * @param kind the distribution, as in psf.cu
 * @param a the constant, the lower bound, or the mean
 * @param b the upper bound or the standard deviation
 * @param seed the key of the counter's streams
 * @param least the least value
 * @param greatest the greatest value
 */
record Generators(int kind, double a, double b, long seed, float least, float greatest) {
    private static final int CONSTANT = 0;
    private static final int UNIFORM = 1;
    private static final int NORMAL = 2;
    private static final int TRUNCATED_NORMAL = 3;

    static final Generators ZEROS = new Generators(CONSTANT, 0, 0, 0, 0, 0);

    /** Returns a generator for the kernels; null if they do not have it. */
    static @Nullable Generators of(Generator generator) {
        if (generator instanceof Constant c) {
            return new Generators(CONSTANT, c.value(), 0, 0, 0, 0);
        }
        if (generator instanceof Uniform u) {
            return new Generators(UNIFORM, u.a(), u.b(), u.key(), u.least(), u.greatest());
        }
        if (generator instanceof Normal n) {
            return new Generators(NORMAL, n.mean(), n.stddev(), n.key(), 0, 0);
        }
        if (generator instanceof TruncatedNormal t) {
            return new Generators(TRUNCATED_NORMAL, t.mean(), t.stddev(), t.key(), t.least(), t.greatest());
        }
        return null;
    }

    /** True if every value is positive zero, which fresh memory has. */
    boolean isZero() {
        return kind == CONSTANT && Float.floatToRawIntBits((float) a) == 0;
    }
}
