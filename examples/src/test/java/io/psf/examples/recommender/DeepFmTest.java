package io.psf.examples.recommender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.examples.demo.Batch;
import io.psf.examples.demo.Examples;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeepFmTest {
    private static final int FIELDS = 3;
    private static final int NUMERICS = 2;
    private static final int EXAMPLES = 6;

    private final Random random = new Random(5);
    private final DeepFm model = new DeepFm(FIELDS, NUMERICS, 4, 5, 3);

    private float[] normal(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian() / 2;
        }
        return values;
    }

    private Batch batch() {
        return Batch.of(new Examples(
                FIELDS,
                NUMERICS,
                random.longs(EXAMPLES * FIELDS, 0, 7).toArray(),
                normal(EXAMPLES * NUMERICS),
                new float[] {1, 0, 0, 1, 1, 0}));
    }

    @Test
    void theGradientIsTheDifferenceOfTheLoss() {
        Batch batch = batch();
        Parameters parameters =
                new Parameters(normal(batch.rows()), normal(batch.rows() * 4), normal(model.denseSize()));
        Parameters gradient = model.zeros(batch);
        model.gradient(batch, parameters, gradient);
        check(batch, parameters, parameters.wide(), gradient.wide());
        check(batch, parameters, parameters.embedding(), gradient.embedding());
        check(batch, parameters, parameters.dense(), gradient.dense());
    }

    private void check(Batch batch, Parameters parameters, float[] values, float[] gradient) {
        float step = 1e-3f;
        for (int i = 0; i < values.length; i++) {
            float value = values[i];
            values[i] = value + step;
            double above = model.gradient(batch, parameters, model.zeros(batch));
            values[i] = value - step;
            double below = model.gradient(batch, parameters, model.zeros(batch));
            values[i] = value;
            assertThat((double) gradient[i]).as("of value " + i).isEqualTo((above - below) / (2 * step), within(1e-3));
        }
    }

    @Test
    void aKeyIsTheHashOfItsColumnAndValue() {
        assertThat(HashedFeatures.key("")).isEqualTo(0xcbf29ce484222325L);
        assertThat(HashedFeatures.key("a")).isEqualTo(0xaf63dc4c8601ec8cL);
        assertThat(HashedFeatures.key("job=admin.")).isNotEqualTo(HashedFeatures.key("job=student"));
    }
}
