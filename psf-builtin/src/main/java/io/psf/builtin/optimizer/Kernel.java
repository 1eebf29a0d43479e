package io.psf.builtin.optimizer;

import java.util.List;

/**
 * The formula of one rule, over tiles on the heap. Knows nothing of rows, shards or memory off the heap, which are
 * {@link TiledOptimizer}'s; a {@link KernelProvider} has the same formulas over other memory. Immutable and thread-safe.
 */
public sealed interface Kernel permits Add, Assign, Sgd, Momentum, Nesterov, AdaGrad, Adam {
    /** The names of the rule's state, each [rows, width] float32, zero at first. */
    default List<String> state() {
        return List.of();
    }

    /** Whether the rule needs to know how often a row has been stepped. */
    default boolean countsSteps() {
        return false;
    }

    /** Whether the rule puts the update in the place of the weights, so that these need not be read. */
    default boolean replaces() {
        return false;
    }

    /**
     * Steps the elements {@code [begin, end)} of tiles.
     *
     * @param w [at least end] float32; weights, changed
     * @param g [at least end] float32; the update or gradient
     * @param state [states][at least end] float32, in the order of {@link #state}; changed
     * @param begin the first element
     * @param end one past the last element
     * @param steps how often these elements have been stepped, this time included; 0 unless {@link #countsSteps}
     */
    void step(float[] w, float[] g, float[][] state, int begin, int end, int steps);
}
