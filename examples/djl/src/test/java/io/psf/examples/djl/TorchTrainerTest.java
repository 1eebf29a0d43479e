package io.psf.examples.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.examples.demo.BankTable;
import io.psf.runtime.PsCluster;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class TorchTrainerTest {
    private final Random random = new Random(1);

    private float[] normal(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian() / 2;
        }
        return values;
    }

    /** Repeated, with other parameters each time: neither gradients nor parameters of an earlier batch remain. */
    @Test
    void theGradientIsThatOfThePlainNetwork() {
        PlainTrainer plain = new PlainTrainer(5, 8, 3);
        try (TorchTrainer torch = new TorchTrainer(5, 8, 3)) {
            assertThat(torch.size()).isEqualTo(plain.size());
            for (int repeat = 0; repeat < 5; repeat++) {
                int n = 4 + repeat;
                float[] inputs = normal(n * 5);
                float[] labels = new float[n];
                for (int i = 0; i < n; i++) {
                    labels[i] = random.nextInt(2);
                }
                float[] parameters = normal(plain.size());
                float[] expected = new float[plain.size()];
                float[] actual = normal(plain.size());
                double loss = plain.gradient(inputs, labels, parameters, expected);
                assertThat(torch.gradient(inputs, labels, parameters, actual)).isEqualTo(loss, within(1e-4));
                assertThat(actual).containsExactly(expected, within(1e-4f));
            }
        }
    }

    private static double train(Trainer trainer) {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            return new DjlTraining(BankTable.load()).run(cluster.worker(), trainer, 400);
        }
    }

    @Test
    void theTrainingReachesTheLossOfThePlainNetwork() {
        double plain = train(new PlainTrainer(DjlTraining.SIZES));
        assertThat(plain).isLessThan(0.35);
        try (TorchTrainer torch = new TorchTrainer(DjlTraining.SIZES)) {
            assertThat(train(torch)).isEqualTo(plain, within(0.005));
        }
    }
}
