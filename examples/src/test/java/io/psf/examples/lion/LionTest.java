package io.psf.examples.lion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LionTest {
    @Test
    void theLineIsFound() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            float[] line = LionMain.fit(cluster.worker(), false);
            assertThat(line[0]).isCloseTo(2, within(0.1f));
            assertThat(line[1]).isCloseTo(1, within(0.1f));
        }
    }

    @Test
    void theNameAndTheRecordSelectTheSameOptimizer() {
        assertThat(Optimizers.of(new Lion(0.5f, 0.9f, 0.99f, 0)))
                .isEqualTo(Optimizers.of("examples.lion", Map.of("lr", 0.5f, "b1", 0.9f, "b2", 0.99f, "decay", 0.0f)))
                .hasToString("examples.lion(b1=0.9, b2=0.99, decay=0.0, lr=0.5)");
    }

    @Test
    void aStepOfSomeRowsFollowsTheFormula() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            TensorId w = Tensors.init(
                    cluster.worker(),
                    TensorSpec.growing("w", 2).optimizer(Optimizers.of(new Lion(0.5f, 0.5f, 0.5f, 0))));
            Tensors.pushRows(cluster.worker(), w, new long[] {7, -9}, new float[] {1, -1, 0, 4})
                    .await();
            Tensors.pushRows(cluster.worker(), w, new long[] {7}, new float[] {-0.25f, -1})
                    .await();
            float[] rows = new float[4];
            Tensors.pullRows(cluster.worker(), w, new long[] {7, -9}, rows).await();
            assertThat(rows).containsExactly(-1, 1, 0, -0.5f); // m = .5 before the second step outweighs g = -.25
        }
    }
}
