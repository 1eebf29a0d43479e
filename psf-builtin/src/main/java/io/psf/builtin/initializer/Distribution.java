package io.psf.builtin.initializer;

/** The distributions of initial values. The ordinal is the number on the wire: append only. */
public enum Distribution {
    /** Every element is a. */
    CONSTANT {
        @Override
        public Generator generator(double a, double b, long seed) {
            Checks.finite("value", a);
            return new Constant((float) a);
        }
    },
    /** Uniform in [a, b). */
    UNIFORM {
        @Override
        public Generator generator(double a, double b, long seed) {
            Checks.finite("a", a);
            Checks.finite("b", b);
            Bounds bounds = Bounds.halfOpen(a, b);
            Checks.require(a < b && !bounds.isEmpty(), "range", "[" + a + ", " + b + ")", "a < b, a float32 between");
            return new Uniform(a, b, Counter.key(seed), bounds.least(), bounds.greatest());
        }
    },
    /** Normal with mean a and standard deviation b. */
    NORMAL {
        @Override
        public Generator generator(double a, double b, long seed) {
            Checks.finite("mean", a);
            Checks.positive("stddev", b);
            return new Normal(a, b, Counter.key(seed));
        }
    },
    /** Normal with mean a and standard deviation b; a value farther than 2 b from a is drawn again. */
    TRUNCATED_NORMAL {
        @Override
        public Generator generator(double a, double b, long seed) {
            Checks.finite("mean", a);
            Checks.positive("stddev", b);
            Bounds bounds = Bounds.closed(a - 2 * b, a + 2 * b);
            return new TruncatedNormal(a, b, Counter.key(seed), bounds.least(), bounds.greatest());
        }
    };

    /**
     * Returns the generator of this distribution: a {@link Constant}, {@link Uniform}, {@link Normal} or {@link
     * TruncatedNormal}.
     *
     * @param a the constant, the lower bound, or the mean
     * @param b the upper bound or the standard deviation; ignored for a constant
     * @param seed the random seed; the same seed gives the same values; ignored for a constant
     * @throws IllegalArgumentException if an argument is invalid for the distribution
     */
    public abstract Generator generator(double a, double b, long seed);
}
