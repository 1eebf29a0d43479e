package io.psf.api.layout;

/** The operation that folds several values into one. */
public enum Reduction {
    /** No fold: the values remain separate. */
    NONE,
    /**
     * The sum; 0 if there are no values. A sum of integers that overflows their type wraps around, as in Java: a sum of
     * {@code int} or smaller components that may overflow needs a {@code long} component.
     */
    SUM,
    /** The least value; the type's greatest value if there are no values. */
    MIN,
    /** The greatest value; the type's least value if there are no values. */
    MAX,
    /** True if all values are true; true if there are no values. */
    AND,
    /** True if any value is true; false if there are no values. */
    OR,
    /** The value of the last occurrence. */
    LAST
}
