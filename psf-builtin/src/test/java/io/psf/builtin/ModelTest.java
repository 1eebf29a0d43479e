package io.psf.builtin;

import static io.psf.builtin.RowSamples.list;
import static io.psf.builtin.RowSamples.pulled;
import static io.psf.builtin.RowSamples.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.internal.checkpoint.SavedFiles;
import io.psf.builtin.internal.checkpoint.SavedImage;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ModelTest {
    private static final TensorId FIXED = TensorId.of("fixed");
    private static final TensorId HALF = TensorId.of("half");
    private static final TensorId TABLE = TensorId.of("of/table");
    private static final int ROWS = 300;
    private static final int WIDTH = 3;
    private static final long[] ALL = LongStream.range(0, ROWS).toArray();

    @TempDir
    private Path folder;

    private PsCluster cluster(int servers) {
        return PsCluster.builder().servers(servers).checkpoints(folder).start();
    }

    private static void init(Worker worker) {
        Tensors.init(
                worker,
                TensorSpec.table("fixed", ROWS, WIDTH)
                        .initializer(Initializers.normal(0, 1, 5))
                        .optimizer(Optimizers.adam(0.05)));
        Tensors.init(
                worker,
                TensorSpec.table("half", ROWS, WIDTH)
                        .initializer(Initializers.normal(0, 1, 6))
                        .storage(FloatType.BFLOAT16)
                        .wire(FloatType.BFLOAT16));
        Tensors.init(
                worker,
                TensorSpec.growing("of/table", WIDTH)
                        .initializer(Initializers.uniform(-1, 1, 3))
                        .optimizer(Optimizers.momentum(0.1, 0.9)));
    }

    /** Pushes to some rows of each tensor, and removes some rows of the growing table. */
    private static void change(Worker worker, Random random, int rows) {
        for (TensorId each : List.of(FIXED, HALF)) {
            Tensors.pushRows(worker, each, random.longs(rows, 0, ROWS).toArray(), random(random, rows * WIDTH))
                    .await();
        }
        long[] keys = random.longs(rows, 0, ROWS).map(RowSamples::key).toArray();
        Tensors.pushRows(worker, TABLE, keys, random(random, rows * WIDTH)).await();
        long[] gone = random.longs(rows / 4, 0, ROWS).map(RowSamples::key).toArray();
        Tensors.removeRows(worker, TABLE, gone).await();
    }

    /** Returns the rows that a checkpoint has, by key; none occurs twice. */
    private static Map<Long, List<Float>> read(Model model, TensorId tensor) {
        Map<Long, List<Float>> rows = new TreeMap<>();
        model.rows(
                tensor,
                (key, values) -> assertThat(rows.put(key, list(values)))
                        .as("key %d again", key)
                        .isNull());
        return rows;
    }

    private static List<Long> keys(Model model, TensorId tensor) {
        List<Long> keys = new ArrayList<>();
        model.keys(tensor, keys::add);
        return keys;
    }

    @Test
    void eachStepOfAChainHasTheRowsThatAWorkerPulled() {
        Map<Long, Map<TensorId, Map<Long, List<Float>>>> pulled = new TreeMap<>();
        try (PsCluster cluster = cluster(2);
                Worker worker = cluster.worker(0)) {
            init(worker);
            Random random = new Random(7);
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "a/ctr").keep(10).incremental(3);
            for (long step = 1; step <= 6; step++) {
                change(worker, random, step == 1 ? 200 : 20);
                checkpoints.save(step, Map.of("position", "p" + step));
                Map<TensorId, Map<Long, List<Float>>> now = new HashMap<>();
                for (TensorId each : List.of(FIXED, HALF, TABLE)) {
                    now.put(each, pulled(worker, each));
                }
                pulled.put(step, now);
            }
        }
        assertThat(new SavedFiles(folder, "a/ctr").bases("fixed", 4)).hasSize(6); // three of each of the two servers
        pulled.forEach((step, tensors) -> {
            Model model = Model.open(folder, "a/ctr", step);
            model.verify();
            assertThat(model.checkpoint().record(0)).containsEntry("position", "p" + step);
            tensors.forEach((tensor, rows) -> {
                Map<Long, List<Float>> read = read(model, tensor);
                assertThat(read).as("%s of step %d", tensor, step).isEqualTo(rows);
                assertThat(model.count(tensor)).isEqualTo(rows.size());
                assertThat(keys(model, tensor)).containsExactlyInAnyOrderElementsOf(rows.keySet());
                rows.forEach((key, values) ->
                        assertThat(list(model.row(tensor, key).orElseThrow())).isEqualTo(values));
            });
            List<Long> some = new ArrayList<>();
            model.rows(TABLE, LongStream.range(0, ROWS).map(RowSamples::key).toArray(), (key, values) -> some.add(key));
            assertThat(some).containsExactlyInAnyOrderElementsOf(keys(model, TABLE));
            assertThat(model.row(TABLE, 12345)).isEmpty();
        });
        assertThat(Model.open(folder, "a/ctr").step()).isEqualTo(6);
        assertThat(keys(Model.open(folder, "a/ctr"), FIXED))
                .containsExactlyElementsOf(LongStream.of(ALL).boxed().toList());
    }

    @Test
    void aSlotIsReadAsTheOptimizerLeftIt() {
        try (PsCluster cluster = cluster(2);
                Worker worker = cluster.worker(0)) {
            Tensors.init(worker, TensorSpec.table("fixed", 4, 2).optimizer(Optimizers.adaGrad(0.1)));
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").incremental(3);
            checkpoints.save(1, Map.of()); // no slot yet
            Tensors.pushRows(worker, FIXED, new long[] {3}, new float[] {2, -3}).await();
            checkpoints.save(2, Map.of());
        }
        Model model = Model.open(folder, "m");
        Model.Tensor tensor = model.tensor(FIXED);
        assertThat(tensor.optimizer()).isEqualTo("psf.adagrad");
        assertThat(tensor.declaration()).contains("[4, 2]");
        assertThat(tensor.slots()).hasSize(1);
        String slot = tensor.slots().keySet().iterator().next();
        assertThat(model.row(FIXED, slot, 3).orElseThrow()).containsExactly(4, 9);
        assertThat(model.row(FIXED, slot, 0).orElseThrow()).containsExactly(0, 0);
        List<List<Float>> all = new ArrayList<>();
        model.rows(FIXED, slot, (key, values) -> all.add(list(values)));
        assertThat(all).containsExactly(List.of(0f, 0f), List.of(0f, 0f), List.of(0f, 0f), List.of(4f, 9f));
        assertThat(Model.open(folder, "m", 1).tensor(FIXED).slots()).isEmpty();
    }

    @Test
    void aTensorByItselfIsAModel() {
        try (PsCluster cluster = cluster(1);
                Worker worker = cluster.worker(0)) {
            init(worker);
            Tensors.save(worker, TABLE, "epochs/3");
            Tensors.save(worker, FIXED, "epochs/3");
        }
        List<Model.Step> steps = Model.list(folder);
        assertThat(steps)
                .extracting(Model.Step::model)
                .containsExactly("epochs/3/fixed.tensor", "epochs/3/of%2Ftable.tensor");
        Model table = Model.open(folder, steps.get(1).model());
        assertThat(table.count(TABLE)).isZero();
        assertThat(read(table, TABLE)).isEmpty();
        assertThat(read(Model.open(folder, "epochs/3/fixed.tensor"), FIXED)).hasSize(ROWS);
    }

    private void saveTwice() {
        try (PsCluster cluster = cluster(2);
                Worker worker = cluster.worker(0)) {
            init(worker);
            for (long step = 1; step <= 2; step++) {
                change(worker, new Random(step), 100);
                ModelCheckpoints.at(worker, "ctr").keep(5).save(step, Map.of());
            }
        }
    }

    @Test
    void aDamagedImageFailsBeforeItsFirstRow() {
        saveTwice();
        SavedFiles files = new SavedFiles(folder, "ctr");
        SavedImage image = files.written("fixed", 2).get(1); // the upper half
        files.damage(image);
        Model model = Model.open(folder, "ctr");
        String file = files.file(image).toString();
        List<Long> keys = new ArrayList<>();
        assertThatThrownBy(() -> model.rows(FIXED, (key, values) -> keys.add(key)))
                .isInstanceOf(PsException.class)
                .hasMessageContaining(file)
                .hasMessageContaining("checksum");
        assertThat(keys).isNotEmpty().allMatch(key -> key < image.begin());
        assertThatThrownBy(model::verify).hasMessageStartingWith("STORAGE: " + file);
        assertThatThrownBy(() -> model.row(FIXED, image.begin())).hasMessageContaining(file);
        assertThat(model.row(FIXED, 0)).isPresent();
        Model.open(folder, "ctr", 1).verify();
    }

    @Test
    void theNewestCompleteStepIsOpenedAndADamagedOneSaysWhy() throws IOException {
        saveTwice();
        Path step = folder.resolve("ctr/step-000000000002");
        try (var packs = Files.newDirectoryStream(step, "*.pack")) {
            for (Path each : packs) {
                Files.write(each, new byte[5]);
            }
        }
        Files.createDirectories(folder.resolve("ctr/step-000000000003"));
        Files.createDirectories(folder.resolve("other/logs"));
        assertThat(Model.open(folder, "ctr").step()).isEqualTo(1);
        List<Model.Step> steps = Model.list(folder);
        assertThat(steps).extracting(Model.Step::step).containsExactly(3L, 2L, 1L);
        assertThat(steps)
                .extracting(Model.Step::state)
                .containsExactly(Model.State.UNFINISHED, Model.State.DAMAGED, Model.State.COMPLETE);
        assertThat(steps.get(0).reason()).contains("unfinished");
        assertThat(steps.get(1).reason()).contains(".pack: 5 bytes");
        assertThat(steps.get(2).reason()).isEmpty();
        assertThat(steps.get(2).tensors()).isEqualTo(3);
        assertThat(steps.get(2).bytes()).isGreaterThan(2L * ROWS * WIDTH * Float.BYTES);
        assertThat(steps.get(2).saved()).isEqualTo(Model.open(folder, "ctr").saved());
        assertThatThrownBy(() -> Model.open(folder, "ctr", 2)).hasMessageContaining(".pack: 5 bytes");
        Files.delete(folder.resolve("ctr/step-000000000001/model"));
        assertThatThrownBy(() -> Model.open(folder, "ctr"))
                .hasMessageContaining("model \"ctr\" in " + folder + ": no complete step; ")
                .hasMessageContaining("unfinished");
    }

    @Test
    void whatIsNotThereIsAnErrorThatNamesIt() {
        saveTwice();
        Model model = Model.open(folder, "ctr");
        assertThatThrownBy(() -> Model.open(folder, "none"))
                .hasMessage("STORAGE: model \"none\" in " + folder
                        + ": no steps (expected: a model that has been saved there)");
        assertThatThrownBy(() -> Model.open(folder, "ctr", 7))
                .hasMessage("STORAGE: step 7 of model \"ctr\" in " + folder + ": none (expected: one of [2, 1])");
        assertThatThrownBy(() -> Model.open(folder, "../ctr")).hasMessageStartingWith("BAD_REQUEST: ");
        assertThatThrownBy(() -> Model.list(folder.resolve("none"))).hasMessageContaining("no such file");
        assertThatThrownBy(() -> model.row(TensorId.of("u"), 1))
                .hasMessageContaining("tensor \"u\": not in ")
                .hasMessageContaining("(expected: one of [fixed, half, of/table])");
        for (long key : new long[] {-1, ROWS}) {
            assertThatThrownBy(() -> model.row(FIXED, key))
                    .hasMessage("BAD_REQUEST: key of tensor \"fixed\": " + key + " (expected: from 0 to 299)");
        }
        assertThatThrownBy(() -> model.row(FIXED, "none", 1))
                .hasMessageContaining("slot of tensor \"fixed\": none (expected: one of [");
    }

    /** 77 MB of files, of which a load has every byte in a buffer of 256 KB only. */
    @Test
    void aModelIsReadInAHeapThatIsSmaller() throws Exception {
        long[] keys = LongStream.range(0, 50_000).map(RowSamples::key).toArray();
        try (PsCluster cluster = cluster(2);
                Worker worker = cluster.worker(0)) {
            Tensors.init(worker, TensorSpec.table("large", 300_000, 64).initializer(Initializers.constant(1)));
            Tensors.init(worker, TensorSpec.growing("table", 2));
            Tensors.pushRows(worker, TensorId.of("table"), keys, new float[2 * keys.length])
                    .await();
            ModelCheckpoints.at(worker, "m").incremental(2).save(1, Map.of());
            Tensors.removeRows(worker, TensorId.of("table"), Arrays.copyOf(keys, 20_000))
                    .await();
            ModelCheckpoints.at(worker, "m").incremental(2).save(2, Map.of());
        }
        assertThat(Model.open(folder, "m").bytes()).isGreaterThan(76_000_000);
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-XX:MaxDirectMemorySize=4m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReadModel.class.getName(),
                        folder.toString(),
                        "m")
                .redirectErrorStream(true)
                .start();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).contains("large 300000 19200000\n", "table 30000 0\n");
        assertThat(child.waitFor()).isZero();
    }
}
