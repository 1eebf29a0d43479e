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

class IncrementRowsTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void leavesTheSameOnAnySlices() {
        PsfTest.of(IncrementRowsPsf.bind(new IncrementRows() {}))
                .tensor(T, 30, 3)
                .sameOnAnySlices(50, random -> {
                    LongArray keys = LongArray.wrap(
                            random.longs(random.nextInt(40), 0, 30).toArray());
                    FloatArray deltas = FloatArray.allocate(keys.length() * 3);
                    for (int i = 0; i < deltas.length(); i++) {
                        deltas.set(i, random.nextInt(16));
                    }
                    return new IncrementRows.Request(T, keys, deltas);
                });
    }

    @Test
    void addsOnTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 4, 1));
            IncrementRowsPsf.stub(worker)
                    .call(T, LongArray.of(3, 0, 3), FloatArray.of(1, 2, 4))
                    .await();
            assertThat(Tensors.pull(worker, T)).containsExactly(2, 0, 0, 5);
        }
    }
}
