package io.psf.gpu;

import io.psf.builtin.initializer.Constant;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.initializer.TruncatedNormal;
import io.psf.builtin.initializer.Uniform;

/** The distributions that the kernels have, by their number there. */
enum Distribution {
    CONSTANT,
    UNIFORM,
    NORMAL,
    TRUNCATED_NORMAL;

    Generator generator(double a, double b, long seed) {
        return switch (this) {
            case CONSTANT -> new Constant((float) a);
            case UNIFORM -> new Uniform(a, b, seed);
            case NORMAL -> new Normal(a, b, seed);
            case TRUNCATED_NORMAL -> new TruncatedNormal(a, b, seed);
        };
    }
}
