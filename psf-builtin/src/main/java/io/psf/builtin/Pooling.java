package io.psf.builtin;

/** The way in which the rows of a bag of keys become one row. */
public enum Pooling {
    /** The sum of the rows. */
    SUM,
    /** The sum of the rows, divided by the number of the bag's keys; zeros for a bag without keys. */
    MEAN
}
