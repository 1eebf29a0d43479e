package io.psf.builtin.optimizer;

import java.util.List;

/**
 * The formula of one rule, over a tile on the heap. Knows nothing of rows, shards or memory off the heap, which are
 * {@link TiledOptimizer}'s. Immutable and thread-safe.
 */
interface Kernel {
    /** The names of the rule's state, each [rows, width] float32, zero at first. */
    default List<String> state() {
        return List.of();
    }

    /** Whether the rule needs to know how often a row has been stepped. */
    default boolean countsSteps() {
        return false;
    }

    /**
     * Steps the first n elements.
     *
     * @param w [n] float32; weights, changed
     * @param g [n] float32; the update or gradient
     * @param state [states][n] float32, in the order of {@link #state}; changed
     * @param n how many elements
     * @param steps how often these elements have been stepped, this time included; 0 unless {@link #countsSteps}
     */
    void step(float[] w, float[] g, float[][] state, int n, int steps);
}
