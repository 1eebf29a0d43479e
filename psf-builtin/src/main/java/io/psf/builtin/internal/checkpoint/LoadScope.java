package io.psf.builtin.internal.checkpoint;

/** What a load replaces. */
public enum LoadScope {
    /** The tensors. Their open rounds are dropped: the pushes belong to steps after the checkpoint, or were given up. */
    MODEL,
    /** The tensors. Their open rounds stay. */
    TENSORS,
    /** The states of the optimizers: slots and numbers of steps. All else stays. */
    STATES
}
