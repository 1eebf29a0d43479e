package io.psf.examples.djl;

/**
 * A network of one output that is trained to classify. Its parameters are one array: for each layer the weights
 * [inputs, outputs], then the biases [outputs]. Used by one thread.
 */
interface Trainer {
    /** Returns the number of parameters. */
    int size();

    /**
     * Computes the gradient of the mean log loss of a batch.
     *
     * @param inputs [n, inputs] float32
     * @param labels [n] float32, 0 or 1
     * @param parameters the parameters
     * @param into as many as there are parameters, overwritten with the gradient
     * @return the mean log loss
     */
    double gradient(float[] inputs, float[] labels, float[] parameters, float[] into);
}
