package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import org.junit.jupiter.api.Test;

class HistogramTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void countsTheSameOnAnySlices() {
        assertThat(PsfTest.of(HistogramPsf.bind(new Histogram() {}))
                        .tensor(T, 30, 2)
                        .values(i -> i)
                        .sameOnAnySlices(new Histogram.Request(T, 10, 50, 4))
                        .counts())
                .isEqualTo(LongArray.of(20, 10, 10, 20));
    }

    @Test
    void addsUpTheBinsOfTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 5));
            Tensors.push(worker, T, new float[] {-7, 0.5f, 1.5f, 1.75f, 2}).await();
            assertThat(HistogramPsf.stub(worker).call(T, 0, 2, 2).await().counts())
                    .isEqualTo(LongArray.of(2, 3));
        }
    }
}
