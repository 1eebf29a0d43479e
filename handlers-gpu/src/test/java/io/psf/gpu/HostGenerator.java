package io.psf.gpu;

import io.psf.api.TensorLayout;
import io.psf.builtin.initializer.Generator;
import java.util.stream.Stream;

/** A distribution of initial values, for psf's Java code and for the kernels. */
record HostGenerator(Distribution distribution, double a, double b, long seed) {
    static Stream<HostGenerator> all() {
        return Stream.of(
                new HostGenerator(Distribution.CONSTANT, 0.1, 0, 3),
                new HostGenerator(Distribution.UNIFORM, -0.1, 0.2, 4),
                new HostGenerator(Distribution.UNIFORM, 1, Math.nextUp(Math.nextUp(1f)), 5),
                new HostGenerator(Distribution.UNIFORM, -1, 0, -6),
                new HostGenerator(Distribution.NORMAL, 0.5, 0.01, 7),
                new HostGenerator(Distribution.NORMAL, 0, 1e30, Long.MIN_VALUE),
                new HostGenerator(Distribution.TRUNCATED_NORMAL, 0, 0.05, 8),
                new HostGenerator(Distribution.TRUNCATED_NORMAL, 1, 1e-9, 9));
    }

    /** True if values depend on a logarithm, which processors do not compute alike to the bit. */
    boolean rounds() {
        return distribution == Distribution.NORMAL || distribution == Distribution.TRUNCATED_NORMAL;
    }

    Generator onHost() {
        return distribution.generator(a, b, seed);
    }

    /** Returns the initial values of a key's row in a growing table, as {@code FirstValues} fills it. */
    float[] row(long key, int width) {
        boolean likeAFixedTable = key >= 0 && key < Long.MAX_VALUE / width;
        long first = (likeAFixedTable ? key : TensorLayout.hash(key)) * width;
        float[] values = new float[width];
        for (int i = 0; i < width; i++) {
            values[i] = onHost().value(first + i);
        }
        return values;
    }

    /** Returns arguments, and this generator behind them. */
    Object[] behind(Object... arguments) {
        return Stream.concat(Stream.of(arguments), Stream.of(distribution.ordinal(), a, b, key(), least(), greatest()))
                .toArray();
    }

    /** Returns the key of the streams of draws. */
    long key() {
        return TensorLayout.hash(seed + HostHash.GAMMA);
    }

    private float least() {
        return switch (distribution) {
            case UNIFORM -> atLeast(a);
            case TRUNCATED_NORMAL -> atLeast(a - 2 * b);
            default -> 0;
        };
    }

    private float greatest() {
        return switch (distribution) {
            case UNIFORM -> -atLeast(-b) < b ? -atLeast(-b) : Math.nextDown(-atLeast(-b));
            case TRUNCATED_NORMAL -> -atLeast(-(a + 2 * b));
            default -> 0;
        };
    }

    private static float atLeast(double value) {
        float rounded = (float) value;
        return rounded >= value ? rounded : Math.nextUp(rounded);
    }
}
