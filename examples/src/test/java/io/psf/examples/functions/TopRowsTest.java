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

class TopRowsTest {
    private static final TensorId T = TensorId.of("t");

    @Test
    void findsTheSameOnAnySlices() {
        PsfTest<TopRows.Request, TopRows.Response> test =
                PsfTest.of(TopRowsPsf.bind(new TopRows() {})).tensor(T, 40, 4);
        test.sameOnAnySlices(
                30,
                random -> new TopRows.Request(
                        T,
                        FloatArray.of(random.nextInt(9) - 4, random.nextInt(9) - 4, random.nextInt(9) - 4, 1),
                        random.nextInt(50)));
    }

    @Test
    void equalRowsComeInTheOrderOfTheirKeys() {
        TopRows.Response response = PsfTest.of(TopRowsPsf.bind(new TopRows() {}))
                .tensor(T, 20, 1)
                .values(i -> i % 5)
                .sameOnAnySlices(new TopRows.Request(T, FloatArray.of(2), 5));
        assertThat(response.hits())
                .containsExactly(
                        new TopRows.Hit(4, 8),
                        new TopRows.Hit(9, 8),
                        new TopRows.Hit(14, 8),
                        new TopRows.Hit(19, 8),
                        new TopRows.Hit(3, 6));
    }

    @Test
    void takesTheBestOfTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("t", 4, 2));
            Tensors.push(worker, T, new float[] {1, 0, 5, 5, 0, 9, 3, 3}).await();
            assertThat(TopRowsPsf.stub(worker)
                            .call(T, FloatArray.of(1, 1), 3)
                            .await()
                            .hits())
                    .containsExactly(new TopRows.Hit(1, 10), new TopRows.Hit(2, 9), new TopRows.Hit(3, 6));
        }
    }
}
