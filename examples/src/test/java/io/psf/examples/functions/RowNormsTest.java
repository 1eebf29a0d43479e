package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import org.junit.jupiter.api.Test;

class RowNormsTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void areTheSameOnAnySlices() {
        FloatArray norms = PsfTest.of(RowNormsPsf.bind(new RowNorms() {}))
                .tensor(T, 20, 5)
                .sameOnAnySlices(new RowNorms.Request(T))
                .norms();
        assertThat(norms.length()).isEqualTo(20);
    }

    @Test
    void standInTheOrderOfTheRowsOfTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 3, 2));
            Tensors.push(worker, T, new float[] {3, 4, 0, 0, 5, 12}).await();
            assertThat(RowNormsPsf.stub(worker).call(T).await().norms()).isEqualTo(FloatArray.of(5, 0, 13));
        }
    }
}
