package io.psf.examples.axpy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import org.junit.jupiter.api.Test;

class AxpyTest {
    @Test
    void everyServerAddsItsPartAndTheNormIsThatOfTheWhole() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId y = Tensors.init(worker, TensorSpec.dense("y", 5));
            AxpyPsf.Stub axpy = AxpyPsf.stub(worker);
            FloatArray x = FloatArray.of(1, 2, 3, 4, 5);
            assertThat(axpy.call(y, 1, x).await().squaredNorm()).isEqualTo(55);
            assertThat(axpy.call(y, 2, x).await().squaredNorm()).isEqualTo(9 * 55);
            assertThat(Tensors.pull(worker, y)).containsExactly(3, 6, 9, 12, 15);
        }
    }

    @Test
    void theProgramPrintsTheNormOfAMillionTenths() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            // the sum of 1,000,000 squares of normal(0.1, 0.01): 10,100, give or take
            assertThat(AxpyMain.norm(cluster.worker())).isCloseTo(Math.sqrt(10_100), within(0.1));
        }
    }
}
