package io.psf.examples.lenet;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.data.Mnist;
import io.psf.examples.data.RealData;
import io.psf.examples.nn.Batches;
import io.psf.examples.nn.Network;
import io.psf.examples.nn.Parameter;
import io.psf.runtime.PsCluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
@Tag("convergence")
class LeNetTest {
    @Test
    void twoEpochsLearnTheDigits() {
        Mnist data = RealData.mnist();
        List<String> lines = new ArrayList<>();
        try (PsCluster cluster = PsCluster.embedded(2)) {
            LeNetTraining training = new LeNetTraining(cluster.worker());
            List<String> ends = new ArrayList<>();
            training.run(
                    data.train(),
                    2,
                    Integer.MAX_VALUE,
                    (line, step) -> lines.add(line),
                    (epoch, loss) -> ends.add(epoch + ": " + loss));
            assertThat(ends)
                    .hasSize(2)
                    .satisfiesExactly(
                            first -> assertThat(first).startsWith("1: "),
                            second -> assertThat(second).startsWith("2: 0.0"));
            assertThat(lines).hasSize(2 * 1875);
            assertThat(lines.get(0)).matches("epoch: 1 step: 1, loss is 2\\.30\\d{4}");
            assertThat(lines.get(1875)).startsWith("epoch: 2 step: 1, loss is 0.");
            assertThat(Batches.accuracy(training.network(), data.test(), LeNet.BORDER, LeNetTraining.BATCH))
                    .isGreaterThan(0.98);
        }
    }

    /** The same training without servers, by the formula of momentum: v = m v - lr g; w += v. */
    @Test
    void theServersStepTheWeightsAsOneProcessWould() {
        Mnist data = RealData.mnist();
        int steps = 40;
        try (PsCluster cluster = PsCluster.embedded(3)) {
            LeNetTraining training = new LeNetTraining(cluster.worker());
            Network plain = LeNet.create(LeNetTraining.BATCH);
            List<Parameter> own = plain.parameters();
            List<float[]> velocities = new ArrayList<>();
            for (int i = 0; i < own.size(); i++) {
                float[] initial = training.network().parameters().get(i).values();
                System.arraycopy(initial, 0, own.get(i).values(), 0, initial.length);
                velocities.add(new float[initial.length]);
            }
            Batches batches = new Batches(data.train(), LeNet.BORDER, LeNetTraining.BATCH, 1);
            for (int step = 0; step < steps; step++) {
                batches.next();
                plain.gradient(batches.size(), batches.inputs(), batches.labels());
                for (int i = 0; i < own.size(); i++) {
                    float[] v = velocities.get(i);
                    for (int j = 0; j < v.length; j++) {
                        v[j] = (float) LeNetTraining.MOMENTUM * v[j]
                                - (float) LeNetTraining.LEARNING_RATE
                                        * own.get(i).gradient()[j];
                        own.get(i).values()[j] += v[j];
                    }
                }
            }
            training.run(data.train(), 1, steps, (line, step) -> {}, (epoch, loss) -> {});
            for (int i = 0; i < own.size(); i++) {
                assertThat(training.network().parameters().get(i).values())
                        .as(own.get(i).name())
                        .containsExactly(own.get(i).values());
            }
        }
    }
}
