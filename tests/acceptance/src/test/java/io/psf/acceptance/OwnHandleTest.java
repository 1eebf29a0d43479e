package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler that names its function, and takes shards of one kind. */
@Timeout(60)
final class OwnHandleTest {
    @Test
    void aHandlerTakesTheKindOfShardThatItsOwnMethodNames() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            TensorSpec spec = TensorSpec.dense("t", 30).slices(3).optimizer(Optimizers.momentum(0.1, 0.9));
            TensorId t = Tensors.init(worker, spec);
            Tensors.push(worker, t, new float[30]).await();
            assertThat(CountSlotsPsf.stub(worker).call(t).await().slots()).isEqualTo(3);
        }
    }
}
