package io.psf.builtin.optimizer;

/**
 * A formula that needs sums over the whole tensor, such as for a norm: over all rows of a dense push, over the pushed
 * rows of a sparse one. Each shard computes its part of the sums, without a change; then the parts of all slices are
 * added, and each shard steps with the formula for these sums.
 */
public interface TensorKernel extends Kernel {
    /** Returns the number of sums. */
    int sums();

    /**
     * True if {@link #sum} reads the weights. They are not loaded for a formula that says false, such as a norm of
     * gradients.
     */
    default boolean sumsWeights() {
        return true;
    }

    /**
     * Adds the terms of the elements {@code [begin, end)} of tiles. Changes no array but {@code sums}.
     *
     * @param w [at least end] float32; the weights; undefined if {@link #sumsWeights} is false
     * @param g [at least end] float32; the update or gradient
     * @param state [states][at least end] float32, in the order of {@link #state}
     * @param begin the first element
     * @param end one past the last element
     * @param steps the number of steps, the coming one included, as {@link #counting} says; 0 for {@link Counting#NONE}
     * @param sums [sums], modified
     */
    void sum(float[] w, float[] g, float[][] state, int begin, int end, int steps, double[] sums);

    /**
     * Returns the formula for given sums, with the state and the counting of this one.
     *
     * @param totals [sums], over the whole tensor
     */
    Kernel with(double[] totals);

    /** Never called. */
    @Override
    default void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        throw new UnsupportedOperationException("step of a " + getClass().getName() + " (expected: with(totals))");
    }
}
