package io.psf.spark.ml.functions;

/**
 * The gradient of skip-gram with negative sampling (Mikolov et al., Distributed Representations of Words and Phrases,
 * 2013).
 */
public final class PairFactors {
    private PairFactors() {}

    /**
     * Replaces the dot products of pairs by the factors of their changes: the learning rate, times the distance of the
     * logistic function of the product from 1 for target 0 of a group, and from 0 for its negative samples.
     *
     * @param products [pairs] float32, [_, targets] from index {@code at} on
     * @param at the index of the first product
     * @param n the number of products, a multiple of {@code targets}
     * @param targets the number of output vectors of a group
     * @param rate the learning rate
     */
    public static void of(float[] products, int at, int n, int targets, float rate) {
        for (int i = at; i < at + n; i += targets) {
            products[i] = rate * (1 - Sigmoid.of(products[i]));
            for (int target = 1; target < targets; target++) {
                products[i + target] = -rate * Sigmoid.of(products[i + target]);
            }
        }
    }
}
