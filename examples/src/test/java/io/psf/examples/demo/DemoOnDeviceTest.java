package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.examples.Mode;
import io.psf.gpu.driver.Cuda;
import io.psf.runtime.PsCluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo's model on a GPU, with the training in the servers' own memory as the oracle. */
@Timeout(120)
class DemoOnDeviceTest {
    private static final int STEPS = 200;
    private static final int BATCH = 128;

    private record Trained(List<Double> losses, double auc) {}

    @Test
    void trainingOnADeviceHasTheLossesOfTheHost() {
        Assumptions.assumeTrue(
                Cuda.unavailable().isEmpty(),
                () -> "not run, since " + Cuda.unavailable().orElse(""));
        TrainingOptions onHost = TrainingOptions.of(1, Mode.SYNC, false);
        Trained expected = train(onHost);
        Trained actual = train(onHost.onDevice(0));
        assertThat(expected.losses()).hasSize(STEPS);
        assertThat(actual.losses()).hasSize(STEPS);
        for (int step = 0; step < STEPS; step++) {
            assertThat(actual.losses().get(step))
                    .as("loss of step " + step)
                    .isCloseTo(expected.losses().get(step), within(1e-5));
        }
        assertThat(actual.auc()).isCloseTo(expected.auc(), within(1e-6));
    }

    @Test
    void theLossOfEachStepIsObservedAndEqualTrainingsAreEqual() {
        TrainingOptions options = TrainingOptions.of(1, Mode.SYNC, false);
        Trained first = train(options);
        assertThat(first.losses()).hasSize(STEPS);
        assertThat(train(options)).isEqualTo(first);
    }

    /** Trains on 200 batches, with one worker and two servers. */
    private static Trained train(TrainingOptions options) {
        BankData all = BankData.load(options.realistic());
        BankData data = new BankData(all.train().slice(0, STEPS * BATCH), all.test(), all.keys());
        List<Double> losses = new ArrayList<>();
        try (PsCluster cluster =
                PsCluster.builder().servers(2).devices(options.devices()).start()) {
            Training training = new Training(cluster.worker(), data, options);
            training.observe(losses::add);
            Result result = training.run(options.epochs(), progress -> {}).orElseThrow();
            return new Trained(losses, result.auc());
        }
    }
}
