package io.psf.builtin.initializer;

/** The distributions of psf. */
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
