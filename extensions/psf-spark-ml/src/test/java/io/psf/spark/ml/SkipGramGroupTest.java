package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A group of words beside plain loops in float64. */
class SkipGramGroupTest {
    private static final int SIZE = 21;
    private static final double RATE = .05;

    @Test
    void vectorsChangeByTheGradientOfTheirPairsAsTheyWereBefore() {
        Random random = new Random(1);
        SkipGramGroup[] groups = {group(1), group(2), group(3), group(6), group(8)};
        for (int n = 0; n < 8; n++) {
            for (SkipGramGroup group : groups) { // used again: nothing is left of an earlier one
                requireGradient(group, n, random);
            }
        }
    }

    private static SkipGramGroup group(int targets) {
        return new SkipGramGroup(7, targets, SIZE);
    }

    /** Draws the vectors, some of which are in the group twice. */
    private static void requireGradient(SkipGramGroup group, int n, Random random) {
        float[][] inputs = vectors(random);
        float[][] outputs = vectors(random);
        int targets = group.targets();
        int[] inputAt = random.ints(n, 0, inputs.length).toArray();
        int[] outputAt = random.ints(targets, 0, outputs.length).toArray();
        double[][] expectedInputs = wide(inputs);
        double[][] expectedOutputs = wide(outputs);
        for (int input : inputAt) {
            for (int target = 0; target < targets; target++) {
                float[] y = outputs[outputAt[target]];
                double product = 0;
                for (int d = 0; d < SIZE; d++) {
                    product += (double) inputs[input][d] * y[d];
                }
                double factor = RATE * ((target == 0 ? 1 : 0) - 1 / (1 + Math.exp(-product)));
                for (int d = 0; d < SIZE; d++) {
                    expectedInputs[input][d] += factor * y[d];
                    expectedOutputs[outputAt[target]][d] += factor * inputs[input][d];
                }
            }
        }
        group.clear();
        Arrays.stream(inputAt).forEach(input -> group.add(inputs[input]));
        for (int target = 0; target < targets; target++) {
            group.setTarget(target, outputs[outputAt[target]]);
        }
        group.train((float) RATE);
        requireEqual(inputs, expectedInputs);
        requireEqual(outputs, expectedOutputs);
    }

    private static float[][] vectors(Random random) {
        float[][] vectors = new float[5][SIZE];
        for (float[] vector : vectors) {
            for (int d = 0; d < SIZE; d++) {
                vector[d] = random.nextFloat() - .5f;
            }
        }
        return vectors;
    }

    private static double[][] wide(float[][] vectors) {
        double[][] wide = new double[vectors.length][SIZE];
        for (int i = 0; i < vectors.length; i++) {
            for (int d = 0; d < SIZE; d++) {
                wide[i][d] = vectors[i][d];
            }
        }
        return wide;
    }

    private static void requireEqual(float[][] found, double[][] expected) {
        for (int i = 0; i < found.length; i++) {
            for (int d = 0; d < SIZE; d++) {
                assertThat((double) found[i][d])
                        .as("vector %s, dimension %s", i, d)
                        .isCloseTo(expected[i][d], within(1e-5));
            }
        }
    }

    @Test
    void theLogisticFunctionIsThatOfTheTable() {
        for (double x = -12; x < 12; x += 0.0137) {
            double expected = 1 / (1 + Math.exp(-x));
            assertThat((double) Sigmoid.of((float) x)).isCloseTo(expected, within(Math.abs(x) < 8 ? 1e-6 : 4e-4));
        }
        assertThat(Sigmoid.of(Float.NaN)).isZero();
    }
}
