package io.psf.builtin.optimizer;

import java.util.List;

/** A formula that needs a row as a whole, such as for its mean. May have state with one float per row. */
public interface RowKernel extends Kernel {
    /** Returns the names of the state with one float per row, which are slots: each [rows, 1], initially zero. */
    default List<String> rowState() {
        return List.of();
    }

    /**
     * Steps one row.
     *
     * @param w [at least end] float32; the weights, modified
     * @param g [at least end] float32; the update or gradient
     * @param state [states][at least end] float32, in the order of {@link #state}; modified
     * @param begin the row's first element
     * @param end one past the row's last element
     * @param rowState [row states], in the order of {@link #rowState}; modified
     * @param steps the number of steps, this one included, as {@link #counting} says; 0 for {@link Counting#NONE}
     */
    void stepRow(float[] w, float[] g, float[][] state, int begin, int end, float[] rowState, int steps);

    /** Never called. */
    @Override
    default void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        throw new UnsupportedOperationException("step of a " + getClass().getName() + " (expected: stepRow)");
    }
}
