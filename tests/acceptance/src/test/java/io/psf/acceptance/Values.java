package io.psf.acceptance;

import java.util.Locale;

/** Assertions of large arrays, whose elements AssertJ boxes. */
public final class Values {
    private Values() {}

    /**
     * Requires that all elements are one number.
     *
     * @param values [n] float32
     */
    public static void assertOnly(float[] values, float expected) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] != expected) {
                throw new AssertionError(String.format(
                        Locale.ROOT, "element %d of %d: %s (expected: %s)", i, values.length, values[i], expected));
            }
        }
    }
}
