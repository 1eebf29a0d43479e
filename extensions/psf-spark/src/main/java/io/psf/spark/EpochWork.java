package io.psf.spark;

/** The jobs of one epoch, for {@link PsSpark#train}. */
@FunctionalInterface
public interface EpochWork {
    /**
     * Runs the jobs of an epoch. Called again for an epoch whose changes were undone, since a server was lost: the
     * tensors have the state of the epoch before then. Returns once its jobs have ended.
     *
     * @param epoch from 1
     * @throws Exception if a job fails; the training ends with it, unless a server was lost meanwhile
     */
    void run(int epoch) throws Exception;
}
