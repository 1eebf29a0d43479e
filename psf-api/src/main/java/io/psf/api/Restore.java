package io.psf.api;

/**
 * The slices that go back to a checkpoint when another node takes the place of a lost one ({@code PSF_SERVER_RETURN},
 * {@code PSF_WORKER_RETURN}).
 */
public enum Restore {
    /**
     * Everything: when a server or a worker takes the place of a lost one, all workers load the newest checkpoint
     * together, and train again from its step. The tensors equal the tensors of an undisturbed training. Where there
     * are no workers, a client that has saved the model loads it.
     */
    ALL,
    /**
     * The slices of a lost server alone: they have the values of the newest checkpoint among later values of the
     * others. The workers train on. The pushes to these slices since the checkpoint are lost, as asynchronous training
     * may tolerate.
     */
    LOST
}
