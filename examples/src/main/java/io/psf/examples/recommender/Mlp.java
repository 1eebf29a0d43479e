package io.psf.examples.recommender;

import java.util.Arrays;

/**
 * A network of fully connected layers, with ReLU between them and one output. Its parameters are one array: for each
 * layer the weights [inputs, outputs], then the biases [outputs]. Used by one thread.
 */
public final class Mlp {
    private final int[] sizes;
    /** The input, and the outputs of each layer. */
    private final float[][] values;

    private final float[][] slopes;

    /**
     * Creates a network.
     *
     * @param sizes the number of inputs, then the number of units of each hidden layer
     */
    public Mlp(int... sizes) {
        this.sizes = Arrays.copyOf(sizes, sizes.length + 1);
        this.sizes[sizes.length] = 1;
        this.values = Arrays.stream(this.sizes).mapToObj(float[]::new).toArray(float[][]::new);
        this.slopes = Arrays.stream(this.sizes).mapToObj(float[]::new).toArray(float[][]::new);
    }

    /** Returns the number of parameters. */
    public int size() {
        return begin(sizes.length - 1);
    }

    /** Returns the index of the first parameter of a layer. */
    private int begin(int layer) {
        int begin = 0;
        for (int i = 0; i < layer; i++) {
            begin += (sizes[i] + 1) * sizes[i + 1];
        }
        return begin;
    }

    /** Returns the array into which the caller writes the input of {@link #forward}. */
    public float[] input() {
        return values[0];
    }

    /** Computes the output. */
    public float forward(float[] parameters) {
        for (int layer = 0; layer + 1 < sizes.length; layer++) {
            float[] in = values[layer];
            float[] out = values[layer + 1];
            int at = begin(layer);
            System.arraycopy(parameters, at + in.length * out.length, out, 0, out.length);
            for (int i = 0; i < in.length; i++, at += out.length) {
                float x = in[i];
                for (int o = 0; o < out.length && x != 0; o++) {
                    out[o] += x * parameters[at + o];
                }
            }
            for (int o = 0; o < out.length && layer + 2 < sizes.length; o++) {
                out[o] = Math.max(0, out[o]);
            }
        }
        return values[sizes.length - 1][0];
    }

    /**
     * Computes the gradient, after {@link #forward}.
     *
     * @param slope the gradient of the loss by the output
     * @param into the gradient of the loss by the parameters is added to it
     * @return the gradient of the loss by the input, valid until the next call
     */
    public float[] backward(float slope, float[] parameters, float[] into) {
        slopes[sizes.length - 1][0] = slope;
        for (int layer = sizes.length - 2; layer >= 0; layer--) {
            float[] in = values[layer];
            float[] ofOut = slopes[layer + 1];
            int at = begin(layer);
            int biases = at + in.length * ofOut.length;
            for (int o = 0; o < ofOut.length; o++) {
                into[biases + o] += ofOut[o];
            }
            for (int i = 0; i < in.length; i++, at += ofOut.length) {
                float sum = 0;
                for (int o = 0; o < ofOut.length; o++) {
                    into[at + o] += in[i] * ofOut[o];
                    sum += ofOut[o] * parameters[at + o];
                }
                slopes[layer][i] = layer == 0 || in[i] > 0 ? sum : 0;
            }
        }
        return slopes[0];
    }
}
