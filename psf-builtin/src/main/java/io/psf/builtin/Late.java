package io.psf.builtin;

/** The treatment of a late push: one whose round has closed without it. */
public enum Late {
    /** The push is dropped and answered at once. The worker's next push is for the open round. */
    DROP,
    /** The push is added to the open round, as one of its pushes. */
    NEXT
}
