package io.psf.examples.nn;

import java.util.ArrayList;
import java.util.List;

/** Layers in a row, with softmax and cross entropy at the end. Used by one thread. */
public final class Network {
    private static final float[][] NONE = {};

    private final List<Layer> layers;
    private final int inputs;
    private final int capacity;
    /** The outputs of each layer, and the gradients of the loss by them: [outputs][n] float32. */
    private final List<float[][]> outputs = new ArrayList<>();

    private final List<float[][]> gradients = new ArrayList<>();

    /**
     * Creates a network, with the parameters of its layers.
     *
     * @param inputs the number of inputs of an example
     * @param capacity the most examples of a batch
     * @param layers at least one; the outputs of the last are the scores of the classes
     */
    public Network(int inputs, int capacity, List<Layer> layers) {
        this.inputs = inputs;
        this.capacity = capacity;
        this.layers = List.copyOf(layers);
        for (Layer layer : layers) {
            outputs.add(new float[layer.outputs()][capacity]);
            gradients.add(new float[layer.outputs()][capacity]);
        }
    }

    /** Returns all parameters, in the order of the layers. */
    public List<Parameter> parameters() {
        return layers.stream().flatMap(layer -> layer.parameters().stream()).toList();
    }

    /**
     * Computes the mean loss of a batch, and its gradient by each parameter.
     *
     * @param n the number of examples
     * @param in [inputs][n] float32
     * @param labels [n] int32, the classes of the examples
     * @return the mean cross entropy
     */
    public double gradient(int n, float[][] in, int[] labels) {
        float[][] scores = forward(n, in);
        double loss = lossOf(n, scores, labels);
        for (int i = layers.size() - 1; i >= 0; i--) {
            float[][] from = i == 0 ? in : outputs.get(i - 1);
            layers.get(i).backward(n, from, outputs.get(i), gradients.get(i), i == 0 ? NONE : gradients.get(i - 1));
        }
        return loss;
    }

    /** Returns how many examples of a batch have their highest score at their label. */
    public int correct(int n, float[][] in, int[] labels) {
        float[][] scores = forward(n, in);
        int classes = layers.get(layers.size() - 1).outputs();
        int correct = 0;
        for (int i = 0; i < n; i++) {
            int best = 0;
            for (int c = 1; c < classes; c++) {
                best = scores[c][i] > scores[best][i] ? c : best;
            }
            correct += best == labels[i] ? 1 : 0;
        }
        return correct;
    }

    private float[][] forward(int n, float[][] in) {
        if (n < 1 || n > capacity || in.length != inputs) {
            throw new IllegalArgumentException("batch of " + n + " examples, " + in.length + " inputs (expected: 1 to "
                    + capacity + ", " + inputs + " inputs)");
        }
        for (int i = 0; i < layers.size(); i++) {
            layers.get(i).forward(n, i == 0 ? in : outputs.get(i - 1), outputs.get(i));
        }
        return outputs.get(layers.size() - 1);
    }

    /**
     * Returns the mean cross entropy, and writes its gradient by the scores: (softmax - one-hot) / n. {@code
     * StrictMath} makes a training the same on every machine.
     */
    private double lossOf(int n, float[][] scores, int[] labels) {
        float[][] gradient = gradients.get(layers.size() - 1);
        int classes = layers.get(layers.size() - 1).outputs();
        double loss = 0;
        for (int i = 0; i < n; i++) {
            float highest = scores[0][i];
            for (int c = 1; c < classes; c++) {
                highest = Math.max(highest, scores[c][i]);
            }
            double sum = 0;
            for (int c = 0; c < classes; c++) {
                double power = StrictMath.exp(scores[c][i] - highest);
                gradient[c][i] = (float) power;
                sum += power;
            }
            for (int c = 0; c < classes; c++) {
                float share = (float) (gradient[c][i] / sum);
                gradient[c][i] = (share - (c == labels[i] ? 1 : 0)) / n;
            }
            loss += StrictMath.log(sum) - (scores[labels[i]][i] - highest);
        }
        return loss / n;
    }
}
