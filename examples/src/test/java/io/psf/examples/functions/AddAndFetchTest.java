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

class AddAndFetchTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void answersAndLeavesTheSameOnAnySlices() {
        PsfTest.of(AddAndFetchPsf.bind(new AddAndFetch() {})).tensor(T, 30, 2).sameOnAnySlices(50, random -> {
            LongArray added =
                    LongArray.wrap(random.longs(random.nextInt(20), 0, 30).toArray());
            LongArray fetched =
                    LongArray.wrap(random.longs(random.nextInt(20), 0, 30).toArray());
            FloatArray deltas = FloatArray.allocate(added.length() * 2);
            for (int i = 0; i < deltas.length(); i++) {
                deltas.set(i, random.nextInt(16));
            }
            return new AddAndFetch.Request(T, added, deltas, fetched);
        });
    }

    @Test
    void fetchesWithWhatWasAddedOnTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 4, 1));
            AddAndFetch.Response response = AddAndFetchPsf.stub(worker)
                    .call(T, LongArray.of(3, 1, 3), FloatArray.of(1, 2, 4), LongArray.of(3, 0, 1, 3))
                    .await();
            assertThat(response.rows()).isEqualTo(FloatArray.of(5, 0, 2, 5));
            assertThat(Tensors.pull(worker, T)).containsExactly(0, 2, 0, 5);
        }
    }
}
