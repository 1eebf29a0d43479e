package io.psf.builtin.initializer;

/** The floats of a closed interval. Rounding a double to a float must not move it out of the interval. */
record Bounds(float least, float greatest) {
    /** Returns the floats x with {@code a <= x <= b}. */
    static Bounds closed(double a, double b) {
        return new Bounds(atLeast(a), -atLeast(-b));
    }

    /** Returns the floats x with {@code a <= x < b}. */
    static Bounds halfOpen(double a, double b) {
        float end = -atLeast(-b);
        return new Bounds(atLeast(a), end < b ? end : Math.nextDown(end));
    }

    /** Returns the nearest float from {@code least} to {@code greatest}. */
    static float round(double value, float least, float greatest) {
        return Math.max(least, Math.min(greatest, (float) value));
    }

    private static float atLeast(double value) {
        float rounded = (float) value;
        return rounded >= value ? rounded : Math.nextUp(rounded);
    }
}
