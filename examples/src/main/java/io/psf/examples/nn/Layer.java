package io.psf.examples.nn;

import java.util.List;

/**
 * A layer of a network. Its inputs and outputs are [features][n] float32: a row has one value of each of the n examples
 * of a batch. The innermost loops go over such rows, and the JVM vectorizes them. A feature of an image is a value of a
 * pixel, at {@code (channel * height + y) * width + x}. Rows may be longer than n.
 */
public interface Layer {
    /** Returns the number of outputs of an example. */
    int outputs();

    /** Returns the arrays that are trained. */
    default List<Parameter> parameters() {
        return List.of();
    }

    /**
     * Computes the outputs.
     *
     * @param n the number of examples
     * @param in [inputs][n] float32
     * @param out [outputs][n] float32, overwritten
     */
    void forward(int n, float[][] in, float[][] out);

    /**
     * Computes the gradients of the loss, after {@link #forward} with the same arrays. Those of the parameters are
     * overwritten.
     *
     * @param n the number of examples
     * @param in [inputs][n] float32
     * @param out [outputs][n] float32
     * @param ofOut [outputs][n] float32, the gradient by the outputs
     * @param ofIn [inputs][n] float32, overwritten with the gradient by the inputs; of no rows if it is not needed
     */
    void backward(int n, float[][] in, float[][] out, float[][] ofOut, float[][] ofIn);
}
