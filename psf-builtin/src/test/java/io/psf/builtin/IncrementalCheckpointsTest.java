package io.psf.builtin;

import static io.psf.builtin.RowSamples.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.cache.SyncEmbedding;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.builtin.internal.checkpoint.SavedFiles;
import io.psf.builtin.internal.checkpoint.SavedImage;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class IncrementalCheckpointsTest {
    private static final TensorId FIXED = TensorId.of("fixed");
    private static final TensorId TABLE = TensorId.of("table");
    private static final int ROWS = 600;
    private static final int WIDTH = 3;

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
                TensorSpec.growing("table", WIDTH)
                        .initializer(Initializers.uniform(-1, 1, 3))
                        .optimizer(Optimizers.momentum(0.1, 0.9)));
    }

    /** Pushes to some rows of both tensors, some of them twice, and removes some rows of the table. */
    private static void change(Worker worker, Random random, int rows) {
        long[] some = random.longs(rows, 0, ROWS).toArray();
        Tensors.pushRows(worker, FIXED, some, random(random, rows * WIDTH)).await();
        long[] keys = random.longs(rows, 0, ROWS).map(RowSamples::key).toArray();
        float[] gradients = random(random, rows * WIDTH);
        int[] updates = new int[rows];
        Arrays.fill(updates, 1);
        PushEmbeddingPsf.stub(worker)
                .call(TABLE, LongArray.wrap(keys), FloatArray.wrap(gradients), IntArray.wrap(updates))
                .await();
        long[] gone = random.longs(rows / 4, 0, ROWS).map(RowSamples::key).toArray();
        Tensors.removeRows(worker, TABLE, gone).await();
    }

    /** Everything that a worker can see of the tensors. */
    private record Content(List<Float> values, Map<Long, Long> versions) {}

    private static Content content(Worker worker) {
        List<Float> values = new ArrayList<>();
        long[] all = LongStream.range(0, ROWS).toArray();
        for (float each : Tensors.pull(worker, FIXED)) {
            values.add(each);
        }
        long[] keys = Arrays.stream(all).map(RowSamples::key).toArray();
        float[] rows = new float[ROWS * WIDTH];
        Tensors.pullRows(worker, TABLE, keys, rows).await();
        for (float each : rows) {
            values.add(each);
        }
        long[] none = new long[ROWS];
        Arrays.fill(none, -1);
        SyncEmbedding.Response synced = SyncEmbeddingPsf.stub(worker)
                .call(TABLE, LongArray.wrap(keys), LongArray.wrap(none), 0)
                .await();
        Set<Long> present = new HashSet<>();
        for (long[] page : Tensors.keys(worker, TABLE)) {
            Arrays.stream(page).forEach(present::add);
        }
        Map<Long, Long> versions = new TreeMap<>(); // of the keys that have a row
        for (int i = 0; i < ROWS; i++) {
            if (present.contains(synced.keys().get(i))) {
                versions.put(synced.keys().get(i), synced.versions().get(i));
            }
        }
        assertThat(versions).hasSameSizeAs(present);
        return new Content(values, versions);
    }

    /** The content, and what it becomes by pushes to all rows, which shows the optimizers' state. */
    private static List<List<Float>> withState(Worker worker) {
        Content now = content(worker);
        Random random = new Random(77);
        long[] all = LongStream.range(0, ROWS).toArray();
        Tensors.pushRows(worker, FIXED, all, random(random, ROWS * WIDTH)).await();
        long[] keys = Arrays.stream(all).map(RowSamples::key).toArray();
        Tensors.pushRows(worker, TABLE, keys, random(random, ROWS * WIDTH)).await();
        return List.of(now.values(), content(worker).values());
    }

    @Test
    void everyStepOfAChainIsLoadedExactlyOnAnyNumberOfServers() {
        Map<Long, Content> saved = new LinkedHashMap<>();
        Random random = new Random(1);
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            change(worker, random, 400);
            for (long step = 1; step <= 9; step++) {
                change(worker, random, 1 + random.nextInt(60));
                checkpoints(worker, 4).save(step, Map.of());
                saved.put(step, content(worker));
            }
        }
        assertThat(bases(2)).isEqualTo(1);
        assertThat(bases(5)).isEqualTo(4);
        assertThat(bases(6)).isEqualTo(0);
        List<List<List<Float>>> states = new ArrayList<>();
        for (int servers : new int[] {1, 2, 3}) {
            try (PsCluster cluster = cluster(servers)) {
                Worker worker = cluster.worker();
                init(worker);
                change(worker, random, 300); // is forgotten
                saved.forEach((step, content) -> {
                    checkpoints(worker, 0).load(step);
                    assertThat(content(worker)).as("step %d", step).isEqualTo(content);
                    states.add(withState(worker));
                });
            }
        }
        assertThat(states.subList(0, 9)).isEqualTo(states.subList(9, 18)).isEqualTo(states.subList(18, 27));
    }

    @Test
    void theStateOfTheOptimizersIsThatWithoutABreak() {
        List<List<Float>> unbroken;
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            Random random = new Random(3);
            change(worker, random, 400);
            checkpoints(worker, 8).save(0, Map.of());
            for (long step = 1; step <= 5; step++) {
                change(worker, random, 30);
                checkpoints(worker, 8).save(step, Map.of("step", "" + step));
            }
            unbroken = withState(worker);
        }
        assertThat(bases(5)).isEqualTo(5);
        try (PsCluster cluster = cluster(3)) {
            Worker worker = cluster.worker();
            init(worker);
            ModelCheckpoint loaded = checkpoints(worker, 8).loadLatest().orElseThrow();
            assertThat(loaded.record(0)).isEqualTo(Map.of("step", "5"));
            assertThat(withState(worker)).isEqualTo(unbroken);
        }
    }

    @Test
    void bytesAreInProportionToTheRowsThatHaveChanged() {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            int rows = 20_000;
            int width = 16;
            TensorId large =
                    Tensors.init(worker, TensorSpec.table("large", rows, width).optimizer(Optimizers.adam(0.05)));
            ModelCheckpoints checkpoints = checkpoints(worker, 9);
            Tensors.pushRows(worker, large, LongStream.range(0, rows).toArray(), ones(rows * width))
                    .await();
            checkpoints.save(0, Map.of());
            long ofRow = Long.BYTES + (3L * width + 1) * Float.BYTES; // key, values, both moments, the count
            assertThat(written(0)).isGreaterThan(rows * (ofRow - Long.BYTES));
            long step = 1;
            for (int changed : new int[] {0, 1, 10, 100, 1000, 5000}) {
                long[] keys =
                        LongStream.range(0, changed).map(i -> i * 7 % rows).toArray();
                Tensors.pushRows(worker, large, keys, ones(changed * width)).await();
                checkpoints.save(step, Map.of());
                assertThat(written(step))
                        .as("bytes for %d rows", changed)
                        .isBetween(changed * ofRow, changed * ofRow + 2 * 500);
                step++;
            }
        }
    }

    private static float[] ones(int n) {
        float[] ones = new float[n];
        Arrays.fill(ones, 1);
        return ones;
    }

    @Test
    void aSlotThatIsCreatedLaterChangesOnlyTheRowsThatUseIt() {
        List<List<Float>> unbroken;
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            init(worker);
            checkpoints(worker, 4).save(0, Map.of()); // no optimizer has made a slot yet
            Tensors.pushRows(worker, FIXED, new long[] {5, 9}, ones(2 * WIDTH)).await();
            checkpoints(worker, 4).save(1, Map.of());
            assertThat(written("fixed", 1)).isLessThan(1000);
            unbroken = withState(worker);
        }
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            checkpoints(worker, 4).load(1);
            assertThat(withState(worker)).isEqualTo(unbroken);
        }
    }

    @Test
    void olderStepsAreDeletedAndTheNewestHasAllItsFiles() {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            Random random = new Random(1);
            for (long step = 0; step < 5; step++) {
                change(worker, random, step == 0 ? 400 : 10);
                checkpoints(worker, 10).keep(1).save(step, Map.of());
            }
            assertThat(checkpoints(worker, 0).list())
                    .extracting(ModelCheckpoint::step)
                    .containsExactly(4L);
            assertThat(folder.resolve("ctr")).isDirectoryContaining("glob:**/step-000000000004");
            assertThat(bases(4)).isEqualTo(4);
            Content saved = content(worker);
            change(worker, random, 200);
            checkpoints(worker, 0).load(4);
            assertThat(content(worker)).isEqualTo(saved);
        }
    }

    @Test
    void theChainBeforeIsKeptAsWellSoADamagedFileIsNotTheEnd() throws IOException {
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            init(worker);
            Random random = new Random(1);
            change(worker, random, 400);
            Content third = content(worker);
            for (long step = 0; step < 7; step++) { // whole at 0, 3 and 6
                change(worker, random, 5);
                checkpoints(worker, 2).keep(1).save(step, Map.of());
                third = step == 5 ? content(worker) : third;
            }
            assertThat(checkpoints(worker, 0).list())
                    .extracting(ModelCheckpoint::step)
                    .containsExactly(6L, 5L);
            Content before = third;
            for (long step = 6; step >= 5; step--) {
                files().damage(files().written("fixed", step).get(0));
                if (step == 6) {
                    ModelCheckpoint loaded = checkpoints(worker, 2).loadLatest().orElseThrow();
                    assertThat(loaded.step()).isEqualTo(5);
                    assertThat(content(worker)).isEqualTo(before);
                }
            }
            assertThatThrownBy(() -> checkpoints(worker, 2).loadLatest())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("damaged, checksum: ");
        }
    }

    @Test
    void aShardOfWhichMoreThanHalfHasChangedIsSavedWhole() {
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            init(worker);
            checkpoints(worker, 10).save(0, Map.of());
            pushFirst(worker, ROWS / 2);
            checkpoints(worker, 10).save(1, Map.of());
            pushFirst(worker, ROWS / 2 + 1);
            checkpoints(worker, 10).save(2, Map.of());
            assertThat(bases("fixed", 1)).isEqualTo(1);
            assertThat(bases("fixed", 2)).isEqualTo(0);
        }
    }

    private static void pushFirst(Worker worker, int rows) {
        Tensors.pushRows(worker, FIXED, LongStream.range(0, rows).toArray(), ones(rows * WIDTH))
                .await();
    }

    @Test
    void anotherOptimizerOtherSlicesAndASaveThatIsNotIncrementalAreSavedWhole() {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            checkpoints(worker, 10).save(0, Map.of());
            Tensors.setOptimizer(worker, FIXED, Optimizers.sgd(0.1));
            checkpoints(worker, 10).save(1, Map.of());
            assertThat(bases("fixed", 1)).isEqualTo(0);
            assertThat(bases("table", 1)).isEqualTo(1);
            checkpoints(worker, 0).save(2, Map.of());
            checkpoints(worker, 10).save(3, Map.of());
            assertThat(bases(3)).isEqualTo(0);
            checkpoints(worker, 10).save(4, Map.of());
            assertThat(bases(4)).isEqualTo(1);
            Tensors.setOptimizer(worker, FIXED, Optimizers.adam(0.05));
            checkpoints(worker, 10).save(5, Map.of());
        }
        try (PsCluster cluster = cluster(3)) {
            Worker worker = cluster.worker();
            init(worker);
            assertThat(checkpoints(worker, 10).loadLatest()).isPresent();
            checkpoints(worker, 10).save(6, Map.of());
            assertThat(bases(6)).isEqualTo(0);
            checkpoints(worker, 10).save(7, Map.of());
            assertThat(bases(7)).isEqualTo(1);
        }
        try (PsCluster cluster = cluster(3)) { // restarted: it builds on what it loads
            Worker worker = cluster.worker();
            init(worker);
            assertThat(checkpoints(worker, 10).loadLatest()).isPresent();
            checkpoints(worker, 10).save(8, Map.of());
            assertThat(bases(8)).isEqualTo(2);
        }
    }

    @Test
    void anIncrementOfAnOlderContentIsRight() {
        try (PsCluster cluster = cluster(2)) {
            Worker worker = cluster.worker();
            init(worker);
            Random random = new Random(9);
            change(worker, random, 300);
            checkpoints(worker, 10).save(1, Map.of());
            Content first = content(worker);
            change(worker, random, 20);
            checkpoints(worker, 10).save(2, Map.of());
            checkpoints(worker, 10).load(1);
            checkpoints(worker, 10).save(3, Map.of()); // the newest step is 2, whose rows are newer
            assertThat(bases(3)).isEqualTo(0);
            change(worker, random, 100);
            checkpoints(worker, 10).load(3);
            assertThat(content(worker)).isEqualTo(first);
        }
    }

    @Test
    void aDamagedBaseIsFoundByLoadingAndIsNotBuiltOn() throws IOException {
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            init(worker);
            Random random = new Random(2);
            change(worker, random, 200);
            checkpoints(worker, 10).save(0, Map.of());
            Content good = content(worker);
            change(worker, random, 5);
            Files.move(folder.resolve("ctr"), folder.resolve("kept"));
            checkpoints(worker, 10).save(1, Map.of());
            change(worker, random, 5);
            checkpoints(worker, 10).save(2, Map.of());
            assertThat(bases(2)).isEqualTo(1);
            Files.move(folder.resolve("kept/step-000000000000"), folder.resolve("ctr/step-000000000000"));
            SavedImage base = files().bases("fixed", 2).get(0);
            Path file = files().file(base);
            files().damage(base);
            byte[] bytes = Files.readAllBytes(file);
            assertThatThrownBy(() -> checkpoints(worker, 10).load(2))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                    .hasMessageContaining(file + ", tensor \"fixed\", rows [0, 600): damaged, checksum: ");
            assertThat(checkpoints(worker, 10).loadLatest().orElseThrow().step())
                    .isEqualTo(0);
            assertThat(content(worker)).isEqualTo(good);
            Files.write(file, Arrays.copyOf(bytes, bytes.length - 1)); // of another length: no complete checkpoint
            checkpoints(worker, 10).save(3, Map.of());
            assertThat(bases(3)).isEqualTo(0); // the save after a skipped step has all rows
            assertThat(checkpoints(worker, 10).list())
                    .extracting(ModelCheckpoint::step)
                    .containsExactly(3L, 0L);
        }
    }

    /**
     * A job that is stopped after each save gets on, although a chain is damaged before its first step is saved again.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSaveAfterASkippedStepCanBeLoaded(boolean restarts) throws IOException {
        Random random = new Random(4);
        PsCluster cluster = cluster(2);
        try {
            init(cluster.worker());
            change(cluster.worker(), random, 400);
            for (long step = 1; step <= 5; step++) {
                change(cluster.worker(), random, 5);
                checkpoints(cluster.worker(), 2).keep(2).save(step, Map.of()); // whole at 1 and 4
            }
            damage("fixed", 4);
            for (long step = 4; step <= 8; step++) {
                if (restarts) {
                    cluster.close();
                    cluster = cluster(2);
                    init(cluster.worker());
                }
                ModelCheckpoints checkpoints = checkpoints(cluster.worker(), 2).keep(2);
                assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(step == 4 ? 3 : 10 * (step - 1));
                change(cluster.worker(), random, 5);
                checkpoints.save(10 * step, Map.of());
                if (step == 4) {
                    assertThat(bases(40)).isEqualTo(0);
                }
            }
        } finally {
            cluster.close();
        }
    }

    /** The saves go on without a load: the server has not written the files itself, or they have changed since. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDamagedBaseIsNotBuiltOnAlthoughNobodyHasLoadedIt(boolean restarts) throws IOException {
        Random random = new Random(4);
        PsCluster cluster = cluster(2);
        try {
            init(cluster.worker());
            change(cluster.worker(), random, 400);
            for (long step = 1; step <= 2; step++) {
                change(cluster.worker(), random, 5);
                checkpoints(cluster.worker(), 9).save(step, Map.of());
            }
            damage("fixed", 2);
            if (restarts) {
                cluster.close();
                cluster = cluster(2);
                init(cluster.worker());
                random = new Random(4); // the same content as before
                change(cluster.worker(), random, 400);
                change(cluster.worker(), random, 5);
                change(cluster.worker(), random, 5);
            }
            checkpoints(cluster.worker(), 9).save(3, Map.of());
            change(cluster.worker(), random, 5);
            checkpoints(cluster.worker(), 9).save(4, Map.of());
            assertThat(files().bases("fixed", 4)).hasSize(restarts ? 2 : 4); // all rows at step 3: 1 + 1, or 1 + 3
            Content saved = content(cluster.worker());
            change(cluster.worker(), random, 50);
            assertThat(checkpoints(cluster.worker(), 9)
                            .loadLatest()
                            .orElseThrow()
                            .step())
                    .isEqualTo(4);
            assertThat(content(cluster.worker())).isEqualTo(saved);
        } finally {
            cluster.close();
        }
    }

    @Test
    void aDamagedStepIsNoneOfThoseToKeep() throws IOException {
        try (PsCluster cluster = cluster(1)) {
            Worker worker = cluster.worker();
            init(worker);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "ctr").keep(2);
            for (long step : new long[] {10, 20, 30}) {
                checkpoints.save(step, Map.of());
            }
            damage("fixed", 30);
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(20);
            checkpoints.save(25, Map.of());
            damage("fixed", 25);
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(20);
        }
    }

    /** Changes a byte of the oldest image of a tensor, for all steps that need it. */
    private void damage(String tensor, long step) {
        files().damage(files().oldest(tensor, step));
    }

    @Test
    void increasesAreCounted() {
        try (PsCluster cluster = cluster(1)) {
            assertThatThrownBy(() -> checkpoints(cluster.worker(), -1)).hasMessage("increments: -1 (expected: >= 0)");
        }
    }

    private static ModelCheckpoints checkpoints(Worker worker, int increments) {
        return ModelCheckpoints.at(worker, "ctr").keep(20).incremental(increments);
    }

    private SavedFiles files() {
        return new SavedFiles(folder, "ctr");
    }

    /** Returns the number of images that each image of a tensor builds on. */
    private int bases(String tensor, long step) {
        int rows = files().written(tensor, step).size();
        int bases = files().bases(tensor, step).size();
        assertThat(bases % rows).isEqualTo(0);
        return bases / rows;
    }

    private int bases(long step) {
        assertThat(bases("table", step)).isEqualTo(bases("fixed", step));
        return bases("table", step);
    }

    private long written(String tensor, long step) {
        return files().written(tensor, step).stream()
                .mapToLong(SavedImage::bytes)
                .sum();
    }

    /** Returns the bytes of the images that a save has written. */
    private long written(long step) {
        return files().tensors(step).stream()
                .mapToLong(tensor -> written(tensor, step))
                .sum();
    }
}
