package io.psf.builtin.initializer;

/** The floats of a closed interval: rounding a double to a float must not carry it across the interval's ends. */
record Bounds(float least, float greatest) {
    /** The floats x with {@code a <= x <= b}. */
    static Bounds closed(double a, double b) {
        return new Bounds(atLeast(a), -atLeast(-b));
    }

    /** The floats x with {@code a <= x < b}. */
    static Bounds halfOpen(double a, double b) {
        float end = -atLeast(-b);
        return new Bounds(atLeast(a), end < b ? end : Math.nextDown(end));
    }

    /** Whether there is no such float. */
    boolean isEmpty() {
        return !(least <= greatest);
    }

    /** The nearest float of the interval. */
    float round(double value) {
        return Math.max(least, Math.min(greatest, (float) value));
    }

    private static float atLeast(double value) {
        float rounded = (float) value;
        return rounded >= value ? rounded : Math.nextUp(rounded);
    }
}
