package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.image.RowConsumer;
import io.psf.builtin.image.TensorColumns;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that no cluster has saved. */
@Timeout(120)
final class ModelWriterTest {
    /** More than fit into one image. */
    private static final int MANY = 5_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path folder;

    /** A table of which row i has the value i + 0.5, or of a slot i. */
    private record Made(String name, boolean grows, long rows, Map<String, Integer> slots, String optimizer)
            implements TensorColumns {
        /** Returns the key of row i. */
        long key(long row) {
            return grows ? row * 7919 - 1_000_000 : row;
        }

        @Override
        public TensorInfo info() {
            return new TensorInfo(TensorId.of(name), grows ? TensorInfo.GROWING : rows, 1);
        }

        @Override
        public String declaration() {
            return "made by a test";
        }

        @Override
        public void keys(LongConsumer keys) {
            for (int i = 0; i < rows; i++) {
                keys.accept(key(i));
            }
        }

        @Override
        public void each(@Nullable String slot, RowConsumer each) {
            float[] row = new float[slot == null ? 1 : slots.getOrDefault(slot, 0)];
            for (int i = 0; i < rows; i++) {
                Arrays.fill(row, slot == null ? i + 0.5f : i);
                each.row(key(i), row);
            }
        }
    }

    private void write(long step, TensorColumns... tensors) {
        try (ModelWriter writer = ModelWriter.begin(new FolderStore(folder), "m", step)) {
            for (TensorColumns each : tensors) {
                writer.add(each);
            }
            writer.commit();
        }
    }

    private long packs() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(".pack")).count();
        }
    }

    /** A slice loads the images that overlap it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLargeTableHasSeveralImages(boolean grows) throws IOException {
        Made made = new Made("t", grows, MANY, Map.of(), "");
        write(0, made);
        assertThat(packs()).isEqualTo(2);
        TensorId id = made.info().id();
        Model model = Model.open(folder, "m");
        assertThat(model.count(id)).isEqualTo(MANY);
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).checkpoints(folder).start();
                Worker worker = cluster.worker()) {
            TensorSpec spec = grows ? TensorSpec.growing("t", 1) : TensorSpec.table("t", MANY, 1);
            Tensors.init(worker, spec.slices(3).optimizer(Optimizers.sgd(0.1)));
            assertThat(ModelCheckpoints.at(worker, "m").loadLatest()).isPresent();
            int[] rows = new Random(7).ints(5000, 0, MANY).toArray();
            rows[0] = 0;
            rows[1] = MANY - 1;
            float[] values = new float[rows.length];
            Tensors.pullRows(
                            worker, id, Arrays.stream(rows).mapToLong(made::key).toArray(), values)
                    .await();
            for (int i = 0; i < rows.length; i++) {
                assertThat(values[i]).isEqualTo(rows[i] + 0.5f);
            }
            assertThat(Tensors.list(worker).get(0).rows()).isEqualTo(MANY);
        }
    }

    @Test
    void anOptimizerGoesOnFromItsStatesAndNoOtherDoes() {
        Made made = new Made("t", false, 100, Map.of("adagrad.a", 1), "psf.adagrad");
        write(3, made);
        write(4, made, new Made("other", true, 0, Map.of(), ""));
        TensorSpec spec = TensorSpec.table("t", 100, 1);
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).checkpoints(folder).start();
                Worker worker = cluster.worker()) {
            TensorId t = Tensors.init(worker, spec.optimizer(Optimizers.adaGrad(1)));
            TensorId other = Tensors.init(worker, TensorSpec.growing("other", 1));
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m");
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(4);
            Tensors.pushRows(worker, t, new long[] {63}, new float[] {1}).await();
            assertThat(Tensors.pull(worker, t)[63])
                    .as("a step by 1 / sqrt(63 + 1)")
                    .isCloseTo(63.5f - 1 / 8f, Offset.offset(1e-5f));
            assertThat(Tensors.keys(worker, other)).allMatch(page -> page.length == 0);
            checkpoints.save(5, Map.of());
        }
        assertThat(Model.list(folder)).extracting(Model.Step::step).first().isEqualTo(5L);
        try (PsCluster cluster =
                        PsCluster.builder().servers(1).checkpoints(folder).start();
                Worker worker = cluster.worker()) {
            Tensors.init(worker, spec.optimizer(Optimizers.sgd(1)));
            assertThatThrownBy(() -> ModelCheckpoints.at(worker, "m")
                            .tensors(TensorId.of("t"))
                            .load(5))
                    .hasMessageContaining("psf.adagrad (expected: psf.sgd");
        }
    }

    @Test
    void anAbandonedStepLeavesNothing() throws IOException {
        ModelWriter writer = ModelWriter.begin(new FolderStore(folder), "m", 1);
        writer.add(new Made("t", true, 10, Map.of(), ""));
        assertThatThrownBy(() -> writer.add(new Made("t", true, 10, Map.of(), "")))
                .hasMessageContaining("tensor \"t\": twice (expected: names that differ)");
        assertThat(Model.list(folder)).extracting(Model.Step::state).containsExactly(Model.State.UNFINISHED);
        writer.close();
        assertThat(Model.list(folder)).isEmpty();
        assertThat(packs()).isZero();
        write(1, new Made("t", true, 10, Map.of(), ""));
        assertThat(Model.open(folder, "m").step()).isEqualTo(1);
    }
}
