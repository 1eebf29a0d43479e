package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class WideAndDeepTest {
    private static final double STEP = 1e-3;

    private final WideAndDeep model = new WideAndDeep(3, 2, 4, 5);
    private final Random random = new Random(5);
    private final Batch batch = Batch.of(examples(12));
    private final Parameters parameters = randomParameters();

    @Test
    void theGradientIsTheSlopeOfTheLoss() {
        Parameters gradient = model.zeros(batch);
        double loss = model.gradient(batch, parameters, gradient);
        assertThat(loss).isCloseTo(loss(), within(1e-9));
        assertSlopes("wide", parameters.wide(), gradient.wide());
        assertSlopes("embedding", parameters.embedding(), gradient.embedding());
        assertSlopes("dense", parameters.dense(), gradient.dense());
    }

    @Test
    void gradientsAreAddedToWhatIsThere() {
        Parameters once = model.zeros(batch);
        model.gradient(batch, parameters, once);
        Parameters twice = model.zeros(batch);
        model.gradient(batch, parameters, twice);
        model.gradient(batch, parameters, twice);
        for (int i = 0; i < once.dense().length; i++) {
            assertThat(twice.dense()[i]).isCloseTo(2 * once.dense()[i], within(1e-6f));
        }
    }

    @Test
    void aBatchNamesEveryKeyOnce() {
        Batch small = Batch.of(new Examples(2, 0, new long[] {7, 3, 7, 9}, new float[0], new float[] {0, 1}));
        assertThat(small.keys()).containsExactly(3, 7, 9);
        assertThat(small.positions()).containsExactly(1, 0, 1, 2);
    }

    /** Compares with central differences, in the direction of each parameter. */
    private void assertSlopes(String name, float[] values, float[] gradient) {
        for (int i = 0; i < values.length; i++) {
            float value = values[i];
            values[i] = (float) (value + STEP);
            double above = loss();
            double width = values[i];
            values[i] = (float) (value - STEP);
            double below = loss();
            width -= values[i];
            values[i] = value;
            assertThat((double) gradient[i]).as("%s[%d]", name, i).isCloseTo((above - below) / width, within(5e-4));
        }
    }

    private double loss() {
        return Metrics.logLoss(model.predict(batch, parameters), batch.labels());
    }

    private Examples examples(int n) {
        long[] keys = new long[n * model.fields()];
        float[] numbers = new float[n * model.numerics()];
        float[] labels = new float[n];
        for (int i = 0; i < n; i++) {
            for (int f = 0; f < model.fields(); f++) {
                keys[i * model.fields() + f] = 10L * f + random.nextInt(4);
            }
            for (int f = 0; f < model.numerics(); f++) {
                numbers[i * model.numerics() + f] = (float) random.nextGaussian();
            }
            labels[i] = random.nextInt(2);
        }
        return new Examples(model.fields(), model.numerics(), keys, numbers, labels);
    }

    private Parameters randomParameters() {
        Parameters drawn = model.zeros(batch);
        for (float[] values : new float[][] {drawn.wide(), drawn.embedding(), drawn.dense()}) {
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) random.nextGaussian() / 2;
            }
        }
        return drawn;
    }
}
