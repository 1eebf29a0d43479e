package io.psf.examples.demo;

/**
 * A wide-and-deep click model: a weight for each key (wide), plus a small network over the keys' embeddings and the
 * numeric features (deep), through a sigmoid.
 *
 * <p>H.-T. Cheng et al.: Wide & Deep Learning for Recommender Systems, 2016, equation (3).
 *
 * @param fields the number of categorical fields of an example
 * @param numerics the number of numeric features of an example
 * @param width the number of floats of an embedding
 * @param hidden the number of units of the hidden layer
 */
record WideAndDeep(int fields, int numerics, int width, int hidden) {
    /** Returns the number of floats of the dense parameters. */
    int denseSize() {
        return inputs() * hidden + hidden + hidden + 1;
    }

    /** Returns the number of inputs of the hidden layer. The initial weights are about 1 over its square root. */
    int inputs() {
        return fields * width + numerics;
    }

    /** Returns zero gradients of the right size. */
    Parameters zeros(Batch batch) {
        return new Parameters(new float[batch.rows()], new float[batch.rows() * width], new float[denseSize()]);
    }

    /**
     * Returns the predictions of a batch.
     *
     * @return [n] float32, the probability of label 1
     */
    float[] predict(Batch batch, Parameters parameters) {
        float[] predictions = new float[batch.size()];
        float[] input = new float[inputs()];
        float[] units = new float[hidden];
        for (int i = 0; i < predictions.length; i++) {
            predictions[i] = forward(batch, i, parameters, input, units);
        }
        return predictions;
    }

    /**
     * Computes the gradient of the batch's mean log loss.
     *
     * @param into the shapes of {@link #zeros}; the gradient is added to it
     * @return the mean log loss
     */
    double gradient(Batch batch, Parameters parameters, Parameters into) {
        int n = batch.size();
        float[] input = new float[inputs()];
        float[] units = new float[hidden];
        float[] predictions = new float[n];
        for (int i = 0; i < n; i++) {
            predictions[i] = forward(batch, i, parameters, input, units);
            backward(batch, i, (predictions[i] - batch.labels()[i]) / n, parameters, input, units, into);
        }
        return Metrics.logLoss(predictions, batch.labels());
    }

    /** Computes the inputs and the hidden units of one example. Returns its probability of label 1. */
    private float forward(Batch batch, int example, Parameters parameters, float[] input, float[] units) {
        float[] dense = parameters.dense();
        double logit = dense[outputBias()];
        for (int f = 0; f < fields; f++) {
            int row = batch.positions()[example * fields + f];
            logit += parameters.wide()[row];
            System.arraycopy(parameters.embedding(), row * width, input, f * width, width);
        }
        System.arraycopy(batch.numbers(), example * numerics, input, fields * width, numerics);
        System.arraycopy(dense, hiddenBias(), units, 0, hidden);
        for (int i = 0; i < input.length; i++) {
            float x = input[i];
            int at = i * hidden;
            for (int h = 0; h < hidden; h++) {
                units[h] += x * dense[at + h];
            }
        }
        for (int h = 0; h < hidden; h++) {
            units[h] = Math.max(0, units[h]);
            logit += units[h] * dense[outputWeights() + h];
        }
        return (float) (1 / (1 + Math.exp(-logit)));
    }

    /** Adds the gradient of one example, given the loss's slope at its logit. */
    private void backward(
            Batch batch,
            int example,
            float slope,
            Parameters parameters,
            float[] input,
            float[] units,
            Parameters into) {
        float[] dense = parameters.dense();
        float[] denseInto = into.dense();
        float[] slopes = new float[hidden];
        denseInto[outputBias()] += slope;
        for (int h = 0; h < hidden; h++) {
            denseInto[outputWeights() + h] += slope * units[h];
            slopes[h] = units[h] > 0 ? slope * dense[outputWeights() + h] : 0;
            denseInto[hiddenBias() + h] += slopes[h];
        }
        for (int i = 0; i < input.length; i++) {
            float x = input[i];
            int at = i * hidden;
            for (int h = 0; h < hidden; h++) {
                denseInto[at + h] += x * slopes[h];
            }
        }
        for (int f = 0; f < fields; f++) {
            int row = batch.positions()[example * fields + f];
            into.wide()[row] += slope;
            for (int w = 0; w < width; w++) {
                int at = (f * width + w) * hidden;
                float sum = 0;
                for (int h = 0; h < hidden; h++) {
                    sum += slopes[h] * dense[at + h];
                }
                into.embedding()[row * width + w] += sum;
            }
        }
    }

    private int hiddenBias() {
        return inputs() * hidden;
    }

    private int outputWeights() {
        return hiddenBias() + hidden;
    }

    private int outputBias() {
        return outputWeights() + hidden;
    }
}
