package io.psf.builtin;

/** How the workers' pushes on a tensor combine. */
public enum Updates {
    /** Asynchronous: each push is applied when it arrives. */
    EACH,
    /** Synchronous: a round of one push of each worker is summed, applied once, and then all are answered. */
    SUM,
    /** Synchronous: as {@link #SUM}, with the mean of the round's pushes in the place of their sum. */
    MEAN
}
