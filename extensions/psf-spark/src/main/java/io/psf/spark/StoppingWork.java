package io.psf.spark;

/** The jobs of one epoch of a training that may end early, for {@link PsSpark#trainUntil}. */
@FunctionalInterface
public interface StoppingWork {
    /**
     * Runs the jobs of an epoch, as {@link EpochWork#run}.
     *
     * @param epoch from 1
     * @return true if the training ends with this epoch. An epoch that is repeated runs again: the result depends on
     *     the results of earlier epochs and on this run
     * @throws Exception if a job fails; the training ends with it, unless a server was lost meanwhile
     */
    boolean run(int epoch) throws Exception;
}
