package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import org.junit.jupiter.api.Test;

class AsyncAdagradTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void leavesTheSameOnAnySlices() {
        PsfTest.of(AsyncAdagradPsf.bind(new AsyncAdagrad() {})).tensor(T, 30, 3).sameOnAnySlices(cluster -> {
            AsyncAdagradPsf.Stub adagrad = AsyncAdagradPsf.stub(cluster);
            FloatArray gradient = FloatArray.of(1, -2, 3, -4, 5, -6, 7, 8, 9);
            adagrad.call(T, 0.1f, 1e-7f, LongArray.of(29, 0, 29), gradient).await();
            return adagrad.call(T, 0.1f, 1e-7f, LongArray.of(14, 15, 0), gradient)
                    .await();
        });
    }

    @Test
    void stepsAsThePaperSaysOnTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 4, 1));
            AsyncAdagradPsf.Stub adagrad = AsyncAdagradPsf.stub(worker);
            adagrad.call(T, 0.5f, 0, LongArray.of(0, 3), FloatArray.of(3, -2)).await();
            adagrad.call(T, 0.5f, 0, LongArray.of(0), FloatArray.of(4)).await();
            // the first step is lr; the second of row 0 is lr 4 / sqrt(9 + 16)
            assertThat(Tensors.pull(worker, T)).containsExactly(-0.5f - 0.4f, 0, 0, 0.5f);
        }
    }
}
