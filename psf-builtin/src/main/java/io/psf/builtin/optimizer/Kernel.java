package io.psf.builtin.optimizer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The formula of an optimizer, element by element, over tiles on the heap. Rows, shards and off-heap memory are the
 * concern of {@link TiledOptimizer}. A user's own is a record with {@link io.psf.api.PsOptimizer}, whose components are
 * the named arguments. A formula that needs whole rows is a {@link RowKernel}; a formula that needs sums over the whole
 * tensor is a {@link TensorKernel}. Immutable and thread-safe.
 *
 * <p>A {@link KernelProvider} implements the formulas of this package over other memory of the host, and an
 * {@link OffHostOptimizer} for shards outside of it.
 */
public interface Kernel {
    /**
     * The name of the slot with the number of steps of each row, [rows] float32: exact up to 2^24; beyond that, the
     * corrections are negligible.
     */
    String STEPS = "steps";

    /** Which steps a formula needs the number of. */
    enum Counting {
        /** None. */
        NONE,
        /** The steps of each row, in the slot {@link #STEPS}. */
        ROWS,
        /** The steps of the tensor: the pushes, or the rounds of pushes. */
        TENSOR
    }

    /** Returns the names of the formula's state arrays, which are slots: each [rows, width] float32, initially zero. */
    default List<String> state() {
        return List.of();
    }

    /** Returns which steps are passed to {@link #step}. */
    default Counting counting() {
        return Counting.NONE;
    }

    /** True if the formula replaces the weights by the update, so that the weights need not be read. */
    default boolean replaces() {
        return false;
    }

    /**
     * True if a push of some rows steps every row of the shard, with a gradient of 0 where it has none. Such a formula
     * counts the steps of the tensor, or none.
     */
    default boolean stepsAllRows() {
        return false;
    }

    /**
     * Returns this formula at another learning rate, with whatever it has computed so far that stays valid; null if it
     * is to be created anew from its arguments, with another argument {@code lr}.
     */
    default @Nullable Kernel withLearningRate(float lr) {
        return null;
    }

    /**
     * Steps the elements {@code [begin, end)} of tiles.
     *
     * @param w [at least end] float32; the weights, modified
     * @param g [at least end] float32; the update or gradient
     * @param state [states][at least end] float32, in the order of {@link #state}; modified
     * @param begin the first element
     * @param end one past the last element
     * @param steps the number of steps, this one included, as {@link #counting} says; 0 for {@link Counting#NONE}
     */
    void step(float[] w, float[] g, float[][] state, int begin, int end, int steps);
}
