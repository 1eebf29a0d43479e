package io.psf.examples.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NetworkTest {
    private static final int N = 7;

    private static Network random(int inputs, List<Layer> layers) {
        Network network = new Network(inputs, N, layers);
        Random random = new Random(5);
        for (Parameter parameter : network.parameters()) {
            for (int i = 0; i < parameter.size(); i++) {
                parameter.values()[i] = (float) random.nextGaussian() / 3;
            }
        }
        return network;
    }

    private static float[][] inputs(int size) {
        Random random = new Random(6);
        float[][] inputs = new float[size][N];
        for (int i = 0; i < size * N; i++) {
            inputs[i / N][i % N] = (float) random.nextGaussian();
        }
        return inputs;
    }

    private static int[] labels(int classes) {
        return new Random(7).ints(N, 0, classes).toArray();
    }

    /** Compares each element of the gradient with a central difference of the loss. */
    private static void requireGradients(int inputs, int classes, List<Layer> layers) {
        Network network = random(inputs, layers);
        float[][] in = inputs(inputs);
        int[] labels = labels(classes);
        network.gradient(N, in, labels);
        List<float[]> gradients = network.parameters().stream()
                .map(parameter -> parameter.gradient().clone())
                .toList();
        float step = 1 / 1024f;
        for (int p = 0; p < gradients.size(); p++) {
            Parameter parameter = network.parameters().get(p);
            for (int i = 0; i < parameter.size(); i++) {
                float value = parameter.values()[i];
                parameter.values()[i] = value + step;
                double above = network.gradient(N, in, labels);
                parameter.values()[i] = value - step;
                double below = network.gradient(N, in, labels);
                parameter.values()[i] = value;
                assertThat((double) gradients.get(p)[i])
                        .as("%s [%d]", parameter.name(), i)
                        .isEqualTo((above - below) / (2 * step), within(2e-3));
            }
        }
    }

    @Test
    void theGradientOfALinearLayerIsTheDifferenceOfTheLoss() {
        requireGradients(5, 3, List.of(new Linear("one", 5, 3)));
    }

    @Test
    void theGradientPassesThroughLinearLayersAndRelu() {
        requireGradients(6, 3, List.of(new Linear("one", 6, 5), new Relu(5), new Linear("two", 5, 3)));
    }

    @Test
    void theGradientPassesThroughConvolutionsAndPools() {
        Convolution one = new Convolution("one", new Shape(2, 9, 8), 3, 2);
        MaxPool pool = new MaxPool(one.shape(), 2);
        Convolution two = new Convolution("two", pool.shape(), 5, 3);
        Relu relu = new Relu(two.outputs());
        Linear linear = new Linear("three", relu.outputs(), 4);
        assertThat(one.shape()).isEqualTo(new Shape(3, 8, 7));
        assertThat(pool.shape()).isEqualTo(new Shape(3, 4, 3));
        assertThat(two.shape()).isEqualTo(new Shape(5, 2, 1));
        requireGradients(2 * 9 * 8, 4, List.of(one, pool, two, relu, linear));
    }

    @Test
    void aConvolutionIsTheSumOverItsWindow() {
        Convolution convolution = new Convolution("one", new Shape(2, 4, 5), 3, 3);
        Network network = random(40, List.of(convolution));
        float[] weights = network.parameters().get(0).values();
        float[] bias = network.parameters().get(1).values();
        float[][] in = inputs(40);
        float[][] out = new float[convolution.outputs()][N];
        convolution.forward(N, in, out);
        for (int i = 0; i < out.length * N; i++) {
            int example = i % N;
            int x = i / N % 3;
            int y = i / N / 3 % 2;
            int filter = i / N / 6;
            double sum = bias[filter];
            for (int d = 0; d < 18; d++) {
                int pixel = (d / 9 * 4 + y + d / 3 % 3) * 5 + x + d % 3;
                sum += (double) weights[filter * 18 + d] * in[pixel][example];
            }
            assertThat((double) out[i / N][example]).isEqualTo(sum, within(1e-5));
        }
    }

    @Test
    void ofEqualPixelsTheFirstGetsTheGradient() {
        MaxPool pool = new MaxPool(new Shape(1, 3, 2), 2); // the third row makes no square
        float[][] in = {{1}, {4}, {4}, {2}, {9}, {9}};
        float[][] out = new float[1][1];
        pool.forward(1, in, out);
        assertThat(out[0]).containsExactly(4);
        float[][] ofIn = {{7}, {7}, {7}, {7}, {7}, {7}};
        pool.backward(1, in, out, new float[][] {{3}}, ofIn);
        assertThat(ofIn).isDeepEqualTo(new float[][] {{0}, {3}, {0}, {0}, {0}, {0}});
    }

    @Test
    void theLossOfEqualScoresIsTheLogarithmOfTheClasses() {
        Network network = new Network(4, 2, List.of(new Linear("one", 4, 10)));
        float[][] in = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
        assertThat(network.gradient(2, in, new int[] {3, 0})).isEqualTo(Math.log(10), within(1e-6));
        assertThat(network.correct(2, in, new int[] {3, 0})).isEqualTo(1);
        assertThatThrownBy(() -> network.correct(3, in, new int[3]))
                .hasMessage("batch of 3 examples, 4 inputs (expected: 1 to 2, 4 inputs)");
    }
}
