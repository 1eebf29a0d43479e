package io.psf.builtin;

/** What happens to a push that is late: that was made for a round which has closed without it. */
public enum Late {
    /** The push is dropped and answered at once. The worker's next push is for the open round. */
    DROP,
    /** The push is added to the open round, as one of its pushes. */
    NEXT
}
