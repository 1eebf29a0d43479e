package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The gradients of each loss, beside differences of the loss. */
class LossesTest {
    private static final double STEP = 1e-2;

    static List<Kernel> kernels() {
        return List.of(
                new LinearKernel(BinaryLoss.LOGISTIC, 0),
                new LinearKernel(BinaryLoss.HINGE, 0),
                new LinearKernel(NumberLoss.SQUARED, 0),
                new LinearKernel(NumberLoss.POISSON, 0),
                new LinearKernel(new HuberLoss(.5), 0),
                new LinearKernel(new SoftmaxLoss(3), 0),
                new FactorKernel(BinaryLoss.LOGISTIC, 3, true, .1f, 0, 1),
                new FactorKernel(NumberLoss.SQUARED, 3, true, .1f, 0, 1),
                new DeepKernel(new FactorKernel(BinaryLoss.LOGISTIC, 3, true, .1f, 0, 1), new Network(8 * 3, 5, 4, 1)));
    }

    /** A row that counts twice, with a label. */
    private static Batch row(float label) {
        return new Batch(
                new float[] {label},
                new float[] {2},
                new int[] {3},
                new long[] {5, 6, 7},
                new int[] {0, 2, 1},
                new float[] {1, .5f, 2});
    }

    private static double loss(Kernel kernel, Batch batch, float[] weights, float[] bias) {
        float[] margins = new float[kernel.outputs()];
        kernel.margins(batch, weights, bias, margins);
        return 2 * kernel.loss().learn(margins, 0, batch.labels()[0], new float[kernel.outputs()]);
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void gradientsAreThoseOfTheLoss(Kernel kernel) {
        SplittableRandom random = new SplittableRandom(5);
        for (int label = 0; label < Math.max(2, kernel.outputs()); label++) {
            Batch batch = row(label);
            float[] weights = floats(random, 3 * kernel.width());
            float[] bias = floats(random, kernel.shared());
            float[] update = new float[weights.length];
            Kernel.Sums sums = new Kernel.Sums(bias.length);
            kernel.learn(batch, weights, bias, update, sums);
            assertThat(sums.loss).isCloseTo(loss(kernel, batch, weights, bias), within(1e-4));
            for (int i = 0; i < weights.length; i++) {
                assertThat((double) update[i])
                        .as("weight %s of label %s", i, label)
                        .isCloseTo(slope(kernel, batch, weights, bias, weights, i), within(2e-2));
            }
            for (int i = 0; i < bias.length; i++) {
                assertThat(sums.bias[i])
                        .as("bias %s of label %s", i, label)
                        .isCloseTo(slope(kernel, batch, weights, bias, bias, i), within(2e-2));
            }
        }
    }

    private static double slope(Kernel kernel, Batch batch, float[] weights, float[] bias, float[] changed, int i) {
        float kept = changed[i];
        changed[i] = (float) (kept + STEP);
        double above = loss(kernel, batch, weights, bias);
        changed[i] = (float) (kept - STEP);
        double below = loss(kernel, batch, weights, bias);
        changed[i] = kept;
        return (above - below) / (2 * STEP);
    }

    private static float[] floats(SplittableRandom random, int n) {
        float[] some = new float[n];
        for (int i = 0; i < n; i++) {
            some[i] = (float) random.nextDouble(-.3, .3);
        }
        return some;
    }
}
