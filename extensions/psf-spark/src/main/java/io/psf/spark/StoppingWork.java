package io.psf.spark;

/** The jobs of one epoch of a training that may end early, for {@link PsSpark#trainUntil}. */
@FunctionalInterface
public interface StoppingWork {
    /**
     * Runs the jobs of an epoch, as {@link EpochWork#run}.
     *
     * @param epoch from 1
     * @return true if the training ends with this epoch. It is called again for an epoch that is repeated: the result depends on
     *     what earlier epochs have had, and on this run of this one
     * @throws Exception if a job fails; the training ends with it, unless a server was lost meanwhile
     */
    boolean run(int epoch) throws Exception;
}
