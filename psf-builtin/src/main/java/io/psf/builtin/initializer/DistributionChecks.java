package io.psf.builtin.initializer;

/** Checks arguments. Messages have the form {@code name: value (expected: ...)}. */
final class DistributionChecks {
    private DistributionChecks() {}

    static void finite(String name, double value) {
        require(Double.isFinite((float) value), name, value, "a finite float32");
    }

    static void positive(String name, double value) {
        require(value > 0, name, value, "> 0");
        finite(name, value);
    }

    static void require(boolean holds, String name, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
