package io.psf.builtin.optimizer;

import java.util.List;

/**
 * The formula of one rule, over tiles on the heap. Rows, shards and off-heap memory are the concern of
 * {@link TiledOptimizer}. A {@link KernelProvider} implements the same formulas over other memory of the host. Handlers
 * of a kind of shard outside of it obtain the rule from {@link TiledOptimizer#kernel()}. Immutable and thread-safe.
 */
public sealed interface Kernel permits Add, Assign, Sgd, Momentum, Nesterov, AdaGrad, Adam {
    /**
     * The name of the slot with the number of steps of each row, [rows] float32: exact up to 2^24; beyond that, the
     * corrections are negligible.
     */
    String STEPS = "steps";

    /** Returns the names of the rule's state arrays, which are slots: each [rows, width] float32, initially zero. */
    default List<String> state() {
        return List.of();
    }

    /** True if the rule needs the number of steps of each row, in the slot {@link #STEPS}. */
    default boolean countsSteps() {
        return false;
    }

    /** True if the rule replaces the weights by the update, so that the weights need not be read. */
    default boolean replaces() {
        return false;
    }

    /**
     * Steps the elements {@code [begin, end)} of tiles.
     *
     * @param w [at least end] float32; the weights, modified
     * @param g [at least end] float32; the update or gradient
     * @param state [states][at least end] float32, in the order of {@link #state}; modified
     * @param begin the first element
     * @param end one past the last element
     * @param steps the number of steps of these elements, this one included; 0 unless {@link #countsSteps}
     */
    void step(float[] w, float[] g, float[][] state, int begin, int end, int steps);
}
