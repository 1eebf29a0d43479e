package io.psf.builtin.optimizer;

/** Checks arguments. Messages have the form {@code name: value (expected: ...)}. */
final class OptimizerChecks {
    private OptimizerChecks() {}

    static void finite(String name, float value) {
        require(Float.isFinite(value), name, value, "finite");
    }

    static void positive(String name, float value) {
        require(value > 0, name, value, "> 0");
        finite(name, value);
    }

    static void atLeastZero(String name, float value) {
        require(value >= 0, name, value, ">= 0");
        finite(name, value);
    }

    static void fraction(String name, float value) {
        require(value >= 0 && value < 1, name, value, "in [0, 1)");
    }

    /** Checks the arguments of Adam and its variants. */
    static void adam(float lr, float b1, float b2, float eps) {
        atLeastZero("lr", lr);
        fraction("b1", b1);
        fraction("b2", b2);
        positive("eps", eps);
    }

    static void require(boolean holds, String name, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
