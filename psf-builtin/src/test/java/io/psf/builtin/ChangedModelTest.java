package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.optimizer.Schedule;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that are loaded by a program that has changed: more rows, a table that grows now, other tensors. */
@Timeout(120)
final class ChangedModelTest {
    private static final int ROWS = 40;
    private static final int MORE = 67;
    private static final int WIDTH = 2;
    private static final TensorId T = TensorId.of("t");

    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path directory;

    private static TensorSpec spec(int rows) {
        TensorSpec spec = rows == 0 ? TensorSpec.growing("t", WIDTH) : TensorSpec.table("t", rows, WIDTH);
        return spec.initializer(Initializers.uniform(-1, 1, 3)).optimizer(Optimizers.adaGrad(0.1));
    }

    private static void train(Worker worker, int rows, int every) {
        long[] keys = LongStream.range(0, rows).filter(key -> key % every == 0).toArray();
        float[] gradient = new float[keys.length * WIDTH];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = 1 + keys[i / WIDTH];
        }
        Tensors.pushRows(worker, T, keys, gradient).await();
    }

    private static float[] pull(Worker worker, int from, int to) {
        float[] values = new float[(to - from) * WIDTH];
        Tensors.pullRows(worker, T, LongStream.range(from, to).toArray(), values)
                .await();
        return values;
    }

    private void on(int servers, TensorSpec spec, BiConsumer<Worker, ModelCheckpoints> work) {
        try (PsCluster cluster =
                PsCluster.builder().servers(servers).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec);
            work.accept(worker, ModelCheckpoints.at(worker, "model").incremental(2));
        }
    }

    /** Saves three steps, the later ones as increments, and the tensor by itself. Returns the values one push later. */
    private float[] save() {
        float[] later = new float[ROWS * WIDTH];
        on(2, spec(ROWS).slices(2), (worker, checkpoints) -> {
            for (int step = 1; step <= 3; step++) {
                train(worker, ROWS, step);
                checkpoints.save(step, Map.of());
            }
            Tensors.save(worker, T, "alone");
            train(worker, ROWS, 1);
            System.arraycopy(pull(worker, 0, ROWS), 0, later, 0, later.length);
        });
        return later;
    }

    /** The state of the optimizer is loaded, too: the next push gives the same values. */
    @ParameterizedTest
    @ValueSource(ints = {MORE, 0})
    void theRestOfAnEnlargedTableBeginsAnew(int rows) {
        float[] later = save();
        on(3, spec(rows).slices(3), (worker, checkpoints) -> {
            float[] first = pull(worker, ROWS, MORE);
            for (boolean alone : new boolean[] {false, true}) {
                train(worker, MORE, 1);
                if (alone) {
                    Tensors.load(worker, T, "alone");
                } else {
                    assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(3);
                }
                assertThat(pull(worker, ROWS, MORE)).isEqualTo(first);
                if (rows == 0) {
                    assertThat(Tensors.list(worker).get(0).rows()).isEqualTo(ROWS);
                }
                train(worker, ROWS, 1);
                assertThat(pull(worker, 0, ROWS)).isEqualTo(later);
            }
            train(worker, MORE, 1);
            checkpoints.save(4, Map.of());
            float[] all = pull(worker, 0, MORE);
            train(worker, MORE, 1);
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(4);
            assertThat(pull(worker, 0, MORE)).isEqualTo(all);
        });
    }

    /** Saves three steps of a table that grows: rows come, and the rows of key -7 and 1000 go. */
    private float[] saveGrowing() {
        float[] later = new float[MORE * WIDTH];
        on(2, spec(0).slices(3), (worker, checkpoints) -> {
            long[] gone = {-7, 1000};
            Tensors.pushRows(worker, T, gone, new float[2 * WIDTH]).await();
            train(worker, 10, 1);
            checkpoints.save(1, Map.of());
            train(worker, ROWS, 3);
            Tensors.removeRows(worker, T, gone).await();
            checkpoints.save(2, Map.of());
            train(worker, ROWS, 2);
            checkpoints.save(3, Map.of());
            Tensors.save(worker, T, "alone");
            train(worker, MORE, 1);
            System.arraycopy(pull(worker, 0, MORE), 0, later, 0, later.length);
        });
        return later;
    }

    /** The rows of keys that were not saved begin anew, in both tables. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTableThatGrewIsLoadedIntoOneThatDoesNot(boolean alone) {
        float[] later = saveGrowing();
        on(3, spec(MORE).slices(3), (worker, checkpoints) -> {
            float[] first = pull(worker, 0, MORE);
            train(worker, MORE, 1);
            if (alone) {
                Tensors.load(worker, T, "alone");
            } else {
                assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(3);
            }
            float[] loaded = pull(worker, 0, MORE);
            for (int key : new int[] {11, 13, 41, 66}) { // neither below 10, nor even, nor a third
                assertThat(pull(worker, key, key + 1)).containsExactly(first[2 * key], first[2 * key + 1]);
            }
            assertThat(loaded[2 * 14]).isNotEqualTo(first[2 * 14]);
            train(worker, MORE, 1);
            assertThat(pull(worker, 0, MORE)).isEqualTo(later);
            checkpoints.save(4, Map.of());
            train(worker, MORE, 1);
            checkpoints.loadLatest();
            assertThat(pull(worker, 0, MORE)).isEqualTo(later);
        });
    }

    @Test
    void aKeyThatIsNoRowOfTheTableIsRefused() {
        saveGrowing();
        on(2, spec(ROWS - 2).slices(2), (worker, checkpoints) -> {
            float[] before = pull(worker, 0, ROWS - 2);
            assertThatThrownBy(checkpoints::loadLatest)
                    .hasMessageMatching(
                            "BAD_REQUEST: key of checkpoint \"model/step-000000000003\": 3[89] \\(expected: from"
                                    + " 0 to 37, since tensor \"t\" does not grow\\).*");
            assertThatThrownBy(() -> checkpoints.load(1))
                    .hasMessageMatching(".*: (-7|1000) \\(expected: from 0 to 37.*");
            assertThat(pull(worker, 0, ROWS - 2)).isEqualTo(before);
        });
    }

    /** The number of steps of a schedule is a total: it goes to all slices. */
    @Test
    void aTotalOfATableThatGrewIsLoadedIntoOneThatDoesNot() {
        TensorSpec growing = TensorSpec.growing("t", WIDTH)
                .slices(3)
                .optimizer(Optimizers.sgd(1).schedule(Schedule.step(1, 0.5)));
        long[] keys = {0, 1, 2, 3, 4, 5};
        float[] ones = new float[keys.length * WIDTH];
        Arrays.fill(ones, 1);
        float[] later = new float[keys.length * WIDTH];
        on(2, growing, (worker, checkpoints) -> {
            Tensors.pushRows(worker, T, keys, ones).await();
            Tensors.pushRows(worker, T, keys, ones).await();
            checkpoints.save(1, Map.of());
            Tensors.pushRows(worker, T, keys, ones).await();
            Tensors.pullRows(worker, T, keys, later).await();
        });
        TensorSpec fixed = TensorSpec.table("t", keys.length, WIDTH).slices(3);
        on(2, fixed.optimizer(growing.optimizer()), (worker, checkpoints) -> {
            checkpoints.loadLatest();
            Tensors.pushRows(worker, T, keys, ones).await();
            assertThat(pull(worker, 0, keys.length)).isEqualTo(later);
        });
    }

    /** The old slices are among the new slices. */
    @Test
    void anIncrementDoesNotBuildOnATableWithFewerRows() {
        float[] later = save();
        on(2, spec(2 * ROWS).slices(4), (worker, checkpoints) -> {
            checkpoints.loadLatest();
            train(worker, ROWS, 1);
            checkpoints.save(4, Map.of());
            train(worker, 2 * ROWS, 1);
            checkpoints.loadLatest();
            assertThat(pull(worker, 0, ROWS)).isEqualTo(later);
        });
    }

    @Test
    void fewerRowsOrAnotherWidthAreRefused() {
        save();
        on(2, spec(ROWS - 1), (worker, checkpoints) -> {
            float[] before = pull(worker, 0, ROWS - 1);
            assertThatThrownBy(checkpoints::loadLatest)
                    .hasMessageContaining("shape of checkpoint \"model/step-000000000003\": [40, 2] (expected: [39, 2],"
                            + " the shape of tensor \"t\", or fewer rows)");
            assertThat(pull(worker, 0, ROWS - 1)).isEqualTo(before);
        });
        on(2, TensorSpec.table("t", ROWS, 3).optimizer(Optimizers.adaGrad(0.1)), (worker, checkpoints) -> {
            assertThatThrownBy(checkpoints::loadLatest).hasMessageContaining("[40, 2] (expected: [40, 3]");
            assertThatThrownBy(() -> Tensors.load(worker, T, "alone"))
                    .hasMessageContaining("[40, 2] (expected: [40, 3]");
        });
    }

    @Test
    void tensorsThatWereDroppedOrAddedAreNamed() {
        on(2, spec(ROWS), (worker, checkpoints) -> {
            Tensors.init(worker, TensorSpec.dense("old", 3));
            checkpoints.save(1, Map.of());
        });
        on(2, spec(MORE), (worker, checkpoints) -> {
            TensorId added = Tensors.init(worker, TensorSpec.dense("new", 3).optimizer(Optimizers.add()));
            float[] ones = {1, 1, 1};
            Tensors.push(worker, added, ones).await();
            assertThatThrownBy(checkpoints::loadLatest)
                    .hasMessageContaining(
                            "UNKNOWN_TENSOR: tensors of checkpoint \"model/step-000000000001\" that are not"
                                    + " initialized: \"old\" (expected: none; ModelCheckpoints.tensors selects those to load)");
            assertThat(checkpoints.tensors(T).loadLatest()).isPresent();
            assertThat(Tensors.pull(worker, added)).isEqualTo(ones);
        });
    }
}
