package io.psf.examples.recommender;

import io.psf.examples.demo.Batch;
import io.psf.examples.demo.Metrics;

/**
 * DeepFM: a weight for each key, the products of all pairs of the keys' embeddings, and a network over the same
 * embeddings and the numeric features; their sum through a sigmoid. H. Guo et al.: DeepFM: A Factorization-Machine
 * based Neural Network for CTR Prediction, 2017, equations (1) to (4). Used by one thread.
 */
final class DeepFm {
    private final int fields;
    private final int numerics;
    private final int width;
    private final Mlp network;
    /** The sum of an example's embeddings. */
    private final float[] sum;

    /**
     * Creates a model.
     *
     * @param fields the number of keys of an example
     * @param numerics the number of numeric features of an example
     * @param width the number of floats of an embedding
     * @param first the number of units of the first hidden layer
     * @param second the number of units of the second one
     */
    DeepFm(int fields, int numerics, int width, int first, int second) {
        this.fields = fields;
        this.numerics = numerics;
        this.width = width;
        this.network = new Mlp(fields * width + numerics, first, second);
        this.sum = new float[width];
    }

    int denseSize() {
        return network.size();
    }

    /** Returns zeros of the right size. */
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
        for (int i = 0; i < predictions.length; i++) {
            predictions[i] = forward(batch, i, parameters);
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
        float[] predictions = new float[batch.size()];
        for (int i = 0; i < predictions.length; i++) {
            predictions[i] = forward(batch, i, parameters);
            backward(batch, i, (predictions[i] - batch.labels()[i]) / batch.size(), parameters, into);
        }
        return Metrics.logLoss(predictions, batch.labels());
    }

    private float forward(Batch batch, int example, Parameters parameters) {
        float[] input = network.input();
        System.arraycopy(batch.numbers(), example * numerics, input, fields * width, numerics);
        double logit = 0;
        for (int f = 0; f < fields; f++) {
            int row = batch.positions()[example * fields + f];
            logit += parameters.wide()[row];
            System.arraycopy(parameters.embedding(), row * width, input, f * width, width);
        }
        for (int k = 0; k < width; k++) {
            double squares = 0;
            sum[k] = 0;
            for (int f = 0; f < fields; f++) {
                float x = input[f * width + k];
                sum[k] += x;
                squares += x * x;
            }
            logit += (sum[k] * sum[k] - squares) / 2; // the products of all pairs
        }
        logit += network.forward(parameters.dense());
        return (float) (1 / (1 + Math.exp(-logit)));
    }

    /** Adds the gradient of the example of the last {@link #forward}, given the loss's slope at its logit. */
    private void backward(Batch batch, int example, float slope, Parameters parameters, Parameters into) {
        float[] ofInput = network.backward(slope, parameters.dense(), into.dense());
        float[] input = network.input();
        for (int f = 0; f < fields; f++) {
            int row = batch.positions()[example * fields + f];
            into.wide()[row] += slope;
            for (int k = 0; k < width; k++) {
                into.embedding()[row * width + k] += ofInput[f * width + k] + slope * (sum[k] - input[f * width + k]);
            }
        }
    }
}
