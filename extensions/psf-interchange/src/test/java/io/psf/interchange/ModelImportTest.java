package io.psf.interchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Initializers;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.ModelWriter;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model that is exported, imported and exported again is the same to the bit. */
@Timeout(120)
class ModelImportTest {
    private static final TensorSpec W = TensorSpec.table("w", 700, 5)
            .initializer(Initializers.normal(0, 1, 5))
            .optimizer(Optimizers.adam(0.1));
    private static final TensorSpec B = TensorSpec.dense("b", 9).initializer(Initializers.uniform(-1, 1, 2));
    private static final TensorSpec E = TensorSpec.growing("e", 3)
            .initializer(Initializers.uniform(-1, 1, 3))
            .optimizer(Optimizers.adaGrad(0.1));
    private static final TensorSpec HALF = TensorSpec.table("half", 50, 4)
            .initializer(Initializers.normal(0, 1, 7))
            .storage(FloatType.BFLOAT16);
    private static final TensorSpec SHORT = TensorSpec.growing("short", 2)
            .initializer(Initializers.normal(0, 1, 7))
            .storage(FloatType.FLOAT16)
            .wire(FloatType.INT8);

    @TempDir
    private Path folder;

    private static void init(Worker worker) {
        List.of(W, B, E, HALF, SHORT).forEach(each -> Tensors.init(worker, each));
    }

    private PsCluster cluster(Path checkpoints) {
        return PsCluster.builder().servers(2).checkpoints(checkpoints).start();
    }

    private static void train(Worker worker, long seed) {
        Random random = new Random(seed);
        long[] keys = random.longs(300).toArray();
        keys[0] = Long.MIN_VALUE;
        keys[1] = -1;
        Tensors.pushRows(worker, E.tensor().id(), keys, floats(random, 900)).await();
        long[] rows = random.longs(100, 0, 700).distinct().toArray();
        Tensors.pushRows(worker, W.tensor().id(), rows, floats(random, rows.length * 5))
                .await();
        Tensors.push(worker, B.tensor().id(), floats(random, 9)).await();
        Tensors.pushRows(worker, SHORT.tensor().id(), new long[] {seed, 77}, floats(random, 4))
                .await();
    }

    private static float[] floats(Random random, int n) {
        float[] floats = new float[n];
        for (int i = 0; i < n; i++) {
            floats[i] = random.nextFloat() - 0.5f;
        }
        return floats;
    }

    /** Returns the bits of a column of all rows. */
    private static Map<Long, List<Integer>> bits(Model model, String tensor, String slot) {
        Map<Long, List<Integer>> rows = new TreeMap<>();
        Model.Rows add = (key, row) -> rows.put(key, List.of(box(row)));
        if (slot.isEmpty()) {
            model.rows(TensorId.of(tensor), add);
        } else {
            model.rows(TensorId.of(tensor), slot, add);
        }
        return rows;
    }

    private static Integer[] box(float[] row) {
        Integer[] bits = new Integer[row.length];
        for (int i = 0; i < row.length; i++) {
            bits[i] = Float.floatToRawIntBits(row[i]);
        }
        return bits;
    }

    private static void requireSame(Model one, Model other, boolean withSlots) {
        assertThat(other.tensors()).hasSameSizeAs(one.tensors());
        for (Model.Tensor each : one.tensors()) {
            String name = each.info().id().name();
            assertThat(other.tensor(each.info().id()).info()).isEqualTo(each.info());
            assertThat(bits(other, name, "")).as(name).isEqualTo(bits(one, name, ""));
            assertThat(other.tensor(each.info().id()).slots()).isEqualTo(withSlots ? each.slots() : Map.of());
            for (String slot : withSlots ? each.slots().keySet() : List.<String>of()) {
                assertThat(bits(other, name, slot)).as(name + " " + slot).isEqualTo(bits(one, name, slot));
            }
        }
    }

    private Model saved(String name) {
        Path place = folder.resolve("saved");
        try (PsCluster cluster = cluster(place);
                Worker worker = cluster.worker(0)) {
            init(worker);
            train(worker, 1);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, name).incremental(3);
            checkpoints.save(4, Map.of());
            train(worker, 2);
            checkpoints.save(5, Map.of());
        }
        return Model.open(place, name);
    }

    private Model imported(String name, List<VectorFile> tables, String optimizer) {
        Path place = folder.resolve(name);
        try (ModelWriter writer = ModelWriter.begin(new FolderStore(place), "m", 0)) {
            for (VectorFile each : tables) {
                String of = optimizer.isEmpty() ? each.optimizer() : optimizer;
                assertThat(each.addTo(writer, TensorId.of(each.name()), each.hasKeys(), of))
                        .isZero();
            }
            writer.commit();
        }
        Model model = Model.open(place, "m");
        model.verify();
        return model;
    }

    @Test
    void parquetWithStatesComesBackToTheBitAndTrainingGoesOnAsIfNothingHadHappened() throws IOException {
        Model model = saved("m");
        List<VectorFile> tables = export(model, "first");
        Model back = imported("back", tables, "");
        requireSame(model, back, true);
        assertThat(back.tensor(W.tensor().id()).optimizer()).isEqualTo("psf.adam");
        export(back, "second");
        for (String each : List.of("w", "b", "half")) { // the order of a growing table's keys may differ
            assertThat(folder.resolve("second-" + each + ".parquet"))
                    .hasSameBinaryContentAs(folder.resolve("first-" + each + ".parquet"));
        }
        requireSame(model, imported("again", export(back, "third"), ""), true);

        Model other = imported("other", tables, "psf.sgd");
        assertThat(other.tensor(W.tensor().id()).optimizer()).isEqualTo("psf.sgd");
        requireSame(model, other, false); // the states are not those of SGD

        float[] expected = trainedFrom(folder.resolve("saved"));
        assertThat(trainedFrom(folder.resolve("back"))).containsExactly(expected);
    }

    private List<VectorFile> export(Model model, String prefix) {
        return model.tensors().stream()
                .map(each -> {
                    Path file = folder.resolve(prefix + "-" + each.info().id() + ".parquet");
                    Parquet.saveWithStates(model, each.info().id(), file);
                    return VectorFile.parquet(file);
                })
                .toList();
    }

    private float[] trainedFrom(Path checkpoints) {
        try (PsCluster cluster =
                        PsCluster.builder().servers(3).checkpoints(checkpoints).start();
                Worker worker = cluster.worker(0)) {
            init(worker);
            assertThat(ModelCheckpoints.at(worker, "m").loadLatest()).isPresent();
            train(worker, 9);
            return Tensors.pull(worker, W.tensor().id());
        }
    }

    /** The tables of files without states go on with any optimizer, whose states begin anew. */
    @Test
    void valuesOfEachFormatComeBackToTheBit() throws IOException {
        Model model = saved("m");
        Path file = folder.resolve("m.safetensors");
        Safetensors.save(model, file);
        requireSame(model, imported("safetensors", VectorFile.open(file), ""), false);

        Path arrays = Files.createDirectory(folder.resolve("arrays"));
        Path tables = Files.createDirectory(folder.resolve("tables"));
        for (Model.Tensor each : model.tensors()) {
            TensorId id = each.info().id();
            if (each.info().grows()) {
                Npy.save(model, id, arrays.resolve(id + ".keys.npy"), arrays.resolve(id + ".values.npy"));
            } else {
                Npy.save(model, id, arrays.resolve(id + ".npy"));
            }
            Parquet.save(model, id, tables.resolve(id + ".parquet"));
        }
        List<VectorFile> npy = List.of("w.npy", "b.npy", "e.keys.npy", "half.npy", "short.values.npy").stream()
                .map(arrays::resolve)
                .flatMap(each -> VectorFile.open(each).stream())
                .toList();
        requireSame(model, imported("npy", npy, ""), false);
        List<VectorFile> parquet = List.of("w", "b", "e", "half", "short").stream()
                .map(each -> VectorFile.parquet(tables.resolve(each + ".parquet")))
                .toList();
        Model back = imported("parquet", parquet, "");
        requireSame(model, back, false);

        try (PsCluster cluster = cluster(folder.resolve("parquet"));
                Worker worker = cluster.worker(0)) {
            init(worker);
            train(worker, 3); // states that the load replaces
            assertThat(ModelCheckpoints.at(worker, "m").loadLatest()).isPresent();
            assertThat(Tensors.pull(worker, HALF.tensor().id()))
                    .containsExactly(all(model, HALF.tensor().id(), 200));
            assertThat(Tensors.pull(worker, W.tensor().id()))
                    .containsExactly(all(model, W.tensor().id(), 3500));
            Path live = folder.resolve("live.parquet");
            Parquet.save(worker, E.tensor().id(), live);
            requireSameRows(live, bits(model, "e", ""));
            Tensors.pushRows(worker, E.tensor().id(), new long[] {-1}, new float[] {1, 1, 1})
                    .await();
            float[] row = new float[3];
            Tensors.pullRows(worker, E.tensor().id(), new long[] {-1}, row).await();
            float[] before = model.row(E.tensor().id(), -1).orElseThrow();
            assertThat(row[0]).as("the first step of AdaGrad").isEqualTo(before[0] - 0.1f);
        }
    }

    private static float[] all(Model model, TensorId tensor, int n) {
        ByteBuffer all = ByteBuffer.allocate(n * Float.BYTES);
        model.rows(tensor, (key, row) -> {
            for (float each : row) {
                all.putFloat(each);
            }
        });
        float[] floats = new float[n];
        all.flip().asFloatBuffer().get(floats);
        return floats;
    }

    private void requireSameRows(Path parquet, Map<Long, List<Integer>> expected) {
        Path place = folder.resolve("rows");
        VectorFile file = VectorFile.parquet(parquet);
        try (ModelWriter writer = ModelWriter.begin(new FolderStore(place), "rows", 0)) {
            file.addTo(writer, TensorId.of("e"), true, "");
            writer.commit();
        }
        assertThat(bits(Model.open(place, "rows"), "e", "")).isEqualTo(expected);
    }

    private Path npy(String name, ElementFormat format, List<Long> shape, long... bits) throws IOException {
        byte[] header = NpyHeader.write(format, shape);
        ByteBuffer bytes = ByteBuffer.allocate(header.length + bits.length * format.bytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(header);
        for (long each : bits) {
            if (format.bytes() == Long.BYTES) {
                bytes.putLong(each);
            } else {
                bytes.putInt((int) each);
            }
        }
        return Files.write(folder.resolve(name), bytes.array());
    }

    @Test
    void whatIsWrongIsOneSentenceAndLeavesNothing() throws IOException {
        npy("t.keys.npy", ElementFormat.I64, List.of(3L), 5, -2, 5);
        npy("t.values.npy", ElementFormat.F32, List.of(3L, 1L), 0, Float.floatToIntBits(Float.NaN), 0);
        VectorFile twice = VectorFile.open(folder.resolve("t.keys.npy")).get(0);
        FolderStore store = new FolderStore(folder.resolve("place"));
        TensorId id = TensorId.of("t");
        try (ModelWriter writer = ModelWriter.begin(store, "m", 3)) {
            assertThatThrownBy(() -> twice.addTo(writer, id, true, ""))
                    .hasMessageContaining("key 5 of tensor \"t\": twice or more (expected: each key once)");
        }
        assertThat(folder.resolve("place/m")).isDirectoryNotContaining("glob:**step*");
        try (ModelWriter writer = ModelWriter.begin(store, "m", 3)) {
            assertThatThrownBy(() -> twice.addTo(writer, id, false, ""))
                    .hasMessageContaining("key of row 0: 5 (expected: 0, since the table does not grow)");
        }
        npy("t.keys.npy", ElementFormat.I32, List.of(3L), 5, -2, 6);
        try (ModelWriter writer = ModelWriter.begin(store, "m", 3)) {
            assertThat(VectorFile.open(folder.resolve("t.values.npy")).get(0).addTo(writer, id, true, ""))
                    .as("rows that are not finite")
                    .isEqualTo(1);
            assertThatThrownBy(() -> ModelWriter.begin(store, "m", 9)).hasMessageContaining("another job saves there");
            writer.commit();
        }
        assertThat(Model.open(folder.resolve("place"), "m").row(id, -2).orElseThrow())
                .containsExactly(Float.NaN);
        assertThatThrownBy(() -> ModelWriter.begin(store, "m", 3))
                .hasMessageContaining("3 (expected: above 3, the newest that it has)");
        assertThatThrownBy(() -> ModelWriter.begin(store, "m", -1)).hasMessageContaining("step: -1 (expected: >= 0)");
        npy("t.values.npy", ElementFormat.F32, List.of(4L, 1L), 0, 0, 0, 0);
        assertThatThrownBy(() -> VectorFile.open(folder.resolve("t.keys.npy")))
                .hasMessageContaining("4 rows (expected: 3, a row for each key)");
        assertThatThrownBy(() -> VectorFile.open(folder.resolve("t.csv")))
                .hasMessageContaining("(expected: *.parquet or a folder of such files, *.npy or *.safetensors)");
    }
}
