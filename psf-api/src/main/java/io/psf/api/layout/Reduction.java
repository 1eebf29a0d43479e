package io.psf.api.layout;

/** How several values become one. */
public enum Reduction {
    /** They stay apart. */
    NONE,
    /** Their sum; 0 of none. */
    SUM,
    /** The least; the type's greatest value of none. */
    MIN,
    /** The greatest; the type's least value of none. */
    MAX,
    /** Whether all hold; true of none. */
    AND,
    /** Whether any holds; false of none. */
    OR,
    /** The one that came last. */
    LAST
}
