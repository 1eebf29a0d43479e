package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;

/**
 * A small network of dense layers with one output, and rectifiers between the layers. Its parameters are in one array:
 * for each layer the weights, [inputs, outputs] float32, and then the biases.
 *
 * @param sizes the number of inputs, of the outputs of each layer, and 1
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Network(int... sizes) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    int layers() {
        return sizes.length - 1;
    }

    /** Returns the number of parameters. */
    int parameters() {
        int sum = 0;
        for (int layer = 0; layer < layers(); layer++) {
            sum += parameters(layer);
        }
        return sum;
    }

    private int parameters(int layer) {
        return (sizes[layer] + 1) * sizes[layer + 1];
    }

    /**
     * Sets parameters to random ones, from {@code at} on: uniform weights of variance 2 / inputs (He, Zhang, Ren and
     * Sun, ICCV 2015), and biases of 0.
     */
    void begin(long seed, float[] parameters, int at) {
        Draws draws = new Draws(seed);
        int from = at;
        for (int layer = 0; layer < layers(); layer++) {
            float most = (float) Math.sqrt(6.0 / sizes[layer]);
            int weights = sizes[layer] * sizes[layer + 1];
            for (int i = 0; i < weights; i++) {
                parameters[from + i] = (2 * draws.uniform() - 1) * most;
            }
            from += parameters(layer);
        }
    }

    /** The values of one row in the network, and the derivatives of its output. Not thread-safe. */
    static final class Pass {
        private final Network network;
        /** The inputs, and what each layer puts out. */
        private final float[][] values;

        private final float[][] gradients;

        Pass(Network network) {
            this.network = network;
            this.values = arrays(network);
            this.gradients = arrays(network);
        }

        private static float[][] arrays(Network network) {
            return Arrays.stream(network.sizes).mapToObj(float[]::new).toArray(float[][]::new);
        }

        /** Returns the inputs, which the caller fills. */
        float[] inputs() {
            return values[0];
        }

        /**
         * Returns the output.
         *
         * @param parameters the network's are from {@code at} on
         */
        float output(float[] parameters, int at) {
            int from = at;
            for (int layer = 0; layer < network.layers(); layer++) {
                float[] in = values[layer];
                float[] out = values[layer + 1];
                System.arraycopy(parameters, from + in.length * out.length, out, 0, out.length);
                for (int i = 0; i < in.length; i++) {
                    float value = in[i];
                    int row = from + i * out.length;
                    for (int o = 0; value != 0 && o < out.length; o++) {
                        out[o] += value * parameters[row + o];
                    }
                }
                for (int o = 0; layer + 1 < network.layers() && o < out.length; o++) {
                    out[o] = Math.max(0, out[o]);
                }
                from += network.parameters(layer);
            }
            return values[network.layers()][0];
        }

        /**
         * Adds the gradient of the parameters to sums, and returns that of the inputs, after a call of {@link #output}.
         *
         * @param gradient of the output
         * @param sums those of the network are from {@code at} on
         */
        float[] learn(float[] parameters, int at, float gradient, float[] sums) {
            gradients[network.layers()][0] = gradient;
            int from = at + network.parameters();
            for (int layer = network.layers() - 1; layer >= 0; layer--) {
                from -= network.parameters(layer);
                float[] in = values[layer];
                float[] ofOut = gradients[layer + 1];
                int biases = from + in.length * ofOut.length;
                for (int o = 0; o < ofOut.length; o++) {
                    sums[biases + o] += ofOut[o];
                }
                for (int i = 0; i < in.length; i++) {
                    int row = from + i * ofOut.length;
                    float value = in[i];
                    for (int o = 0; value != 0 && o < ofOut.length; o++) {
                        sums[row + o] += value * ofOut[o];
                    }
                    gradients[layer][i] = layer == 0 || value > 0 ? product(parameters, row, ofOut) : 0;
                }
            }
            return gradients[0];
        }

        private static float product(float[] parameters, int row, float[] ofOut) {
            float sum = 0;
            for (int o = 0; o < ofOut.length; o++) {
                sum += parameters[row + o] * ofOut[o];
            }
            return sum;
        }
    }
}
