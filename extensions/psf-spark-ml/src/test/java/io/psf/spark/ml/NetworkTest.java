package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The gradients of a network beside differences of its output, which is linear in each parameter between two kinks. */
class NetworkTest {
    private static final float STEP = 1e-2f;
    private static final int AT = 3;

    private final Network network = new Network(5, 7, 4, 1);
    private final Network.Pass pass = new Network.Pass(network);
    private final float[] parameters = new float[AT + network.parameters()];
    private final float[] inputs = {.3f, 0, -.8f, .5f, 1};

    private float output() {
        System.arraycopy(inputs, 0, pass.inputs(), 0, inputs.length);
        return pass.output(parameters, AT);
    }

    private double slope(float[] changed, int i) {
        float kept = changed[i];
        changed[i] = kept + STEP;
        float above = output();
        changed[i] = kept - STEP;
        float below = output();
        changed[i] = kept;
        return (above - below) / (2 * STEP);
    }

    @Test
    void gradientsAreSlopes() {
        network.begin(4, parameters, AT);
        SplittableRandom random = new SplittableRandom(9);
        for (int i = AT; i < parameters.length; i++) {
            parameters[i] += (float) random.nextDouble(-.1, .2); // biases, too
        }
        float[] sums = new float[parameters.length];
        assertThat(output()).isNotZero();
        float[] ofInputs = pass.learn(parameters, AT, 2, sums).clone();
        int used = 0;
        for (int i = AT; i < parameters.length; i++) {
            assertThat((double) sums[i]).as("parameter %s", i).isCloseTo(2 * slope(parameters, i), within(1e-3));
            used += sums[i] != 0 ? 1 : 0;
        }
        assertThat(used).isGreaterThan(network.parameters() / 3);
        for (int i = 0; i < inputs.length; i++) {
            assertThat((double) ofInputs[i]).as("input %s", i).isCloseTo(2 * slope(inputs, i), within(1e-3));
        }
        pass.learn(parameters, AT, 2, sums);
        assertThat(sums).startsWith(0, 0, 0);
    }

    @Test
    void parametersAreCounted() {
        assertThat(network.parameters()).isEqualTo(6 * 7 + 8 * 4 + 5);
        assertThat(new Network(5, 1).parameters()).isEqualTo(6);
    }
}
