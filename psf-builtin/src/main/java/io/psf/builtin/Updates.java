package io.psf.builtin;

/** How the workers' pushes to a tensor combine. */
public enum Updates {
    /** Asynchronous: each push is applied when it arrives. */
    EACH,
    /**
     * Synchronous: a round takes one push of each worker, sums them, and applies the sum once. Then all pushes of the
     * round are answered.
     */
    SUM,
    /** Synchronous: like {@link #SUM}, but applies the mean of the round's pushes. */
    MEAN
}
