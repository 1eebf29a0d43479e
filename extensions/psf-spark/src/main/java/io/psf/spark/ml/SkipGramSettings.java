package io.psf.spark.ml;

import java.io.Serializable;

/**
 * The parameters of the estimator that a task uses.
 *
 * @param windowSize the largest distance of two words of a pair
 * @param negative the negative samples of a group
 * @param batchSize the groups of a call
 * @param stepSize the first learning rate
 * @param iterations the number of iterations
 * @param partitions the number of partitions
 * @param words the number of words of all sentences
 * @param seed the seed
 */
record SkipGramSettings(
        int windowSize,
        int negative,
        int batchSize,
        double stepSize,
        int iterations,
        int partitions,
        long words,
        long seed)
        implements Serializable {
    /** The part of the first learning rate that remains. */
    private static final double LEAST = 1e-4;

    /**
     * Returns the learning rate, which declines linearly over all iterations.
     *
     * @param seen the words of this partition that were seen in this iteration: the others are taken to be as far
     */
    float rate(int iteration, long seen) {
        double done = (Math.min((double) words, (double) seen * partitions) / words + iteration) / iterations;
        return (float) (stepSize * Math.max(LEAST, 1 - done));
    }
}
