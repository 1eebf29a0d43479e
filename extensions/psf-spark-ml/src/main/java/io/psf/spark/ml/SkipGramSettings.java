package io.psf.spark.ml;

import java.io.Serializable;

/**
 * The parameters of the estimator that a task uses.
 *
 * @param windowSize the largest distance of two words of a pair
 * @param negative the negative samples of a group
 * @param mostInputs the most words around a word
 * @param batchSize the groups of a batch
 * @param stepSize the first learning rate
 * @param iterations the number of iterations
 * @param partitions the number of partitions
 * @param tasks the tasks that train at once
 * @param words the number of words of all sentences
 * @param seed the seed
 */
record SkipGramSettings(
        int windowSize,
        int negative,
        int mostInputs,
        int batchSize,
        double stepSize,
        int iterations,
        int partitions,
        int tasks,
        long words,
        long seed)
        implements Serializable {
    /** The part of the first learning rate that remains. */
    private static final double LEAST = 1e-4;

    /** The largest slope of the logistic function. */
    private static final double SLOPE = .25;

    /**
     * Returns the learning rate, which declines linearly over all iterations.
     *
     * @param seen the words of this partition that were seen in this iteration: the others are taken to be as far
     */
    float rate(int iteration, long seen) {
        double done = (Math.min((double) words, (double) seen * partitions) / words + iteration) / iterations;
        return (float) (stepSize * Math.max(LEAST, 1 - done));
    }

    /**
     * Returns the part of a word's change that is pushed. The changes that tasks make at once begin at the same vector,
     * and their sum would go too far for a word that each of them has many times: its changes are averaged. Those of
     * other words are added.
     *
     * @param pairs of the word, for each pair of a word and a word around it
     */
    float part(double pairs, float rate) {
        double steps = SLOPE * rate * pairs * batchSize * (windowSize + 1) * tasks;
        return (float) (1 / Math.max(1, Math.min(tasks, steps)));
    }
}
