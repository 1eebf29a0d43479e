package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import org.junit.jupiter.api.Test;

class SumTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void isTheSameOnAnySlices() {
        assertThat(PsfTest.of(SumPsf.bind(new Sum() {}))
                        .tensor(T, 25, 2)
                        .values(i -> i)
                        .sameOnAnySlices(new Sum.Request(T))
                        .sum())
                .isEqualTo(49 * 50 / 2);
    }

    @Test
    void addsUpTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 7, 2).initializer(Initializers.constant(0.5)));
            assertThat(SumPsf.stub(worker).call(T).await().sum()).isEqualTo(7);
        }
    }
}
