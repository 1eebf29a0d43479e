package io.psf.builtin;

import static io.psf.builtin.SideBySide.onAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.training.JoinModelPsf;
import io.psf.builtin.internal.training.MeetWorkers;
import io.psf.builtin.internal.training.MeetWorkersPsf;
import io.psf.builtin.optimizer.Schedule;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Timeout(120)
class ModelCheckpointsTest {
    private static final int WIDTH = 4;
    private static final TensorId DENSE = TensorId.of("dense");
    private static final TensorId TABLE = TensorId.of("table");
    private static final TensorId BIAS = TensorId.of("bias");

    @TempDir
    private Path folder;

    private PsCluster cluster(int servers, int workers) {
        return PsCluster.builder()
                .servers(servers)
                .workers(workers)
                .checkpoints(folder)
                .start();
    }

    private static void init(Worker worker) {
        Tensors.init(
                worker,
                TensorSpec.dense("dense", WIDTH, 3)
                        .initializer(Initializers.normal(0, 1, 5))
                        .optimizer(Optimizers.adam(0.05).schedule(Schedule.cosine(80, 0.1))));
        Tensors.init(
                worker,
                TensorSpec.growing("table", WIDTH)
                        .initializer(Initializers.uniform(-1, 1, 3))
                        .optimizer(Optimizers.adaGrad(0.1)));
        Tensors.init(worker, TensorSpec.dense("bias", 3).optimizer(Optimizers.sgd(0.1)));
    }

    /** Fits bias + dense * (rows of two keys) to targets that depend on the step. Returns the losses of the steps. */
    private static List<Double> train(Worker worker, int from, int to) {
        List<Double> losses = new ArrayList<>();
        for (int step = from; step < to; step++) {
            Random random = new Random(step);
            long[] keys = {random.nextInt(20), 1L << (40 + random.nextInt(8))};
            float[] rows = new float[2 * WIDTH];
            Tensors.pullRows(worker, TABLE, keys, rows).await();
            float[] dense = Tensors.pull(worker, DENSE);
            float[] bias = Tensors.pull(worker, BIAS);
            float[] denseGradient = new float[dense.length];
            float[] rowGradient = new float[rows.length];
            float[] biasGradient = new float[3];
            double loss = 0;
            for (int out = 0; out < 3; out++) {
                float error = bias[out] - random.nextFloat();
                for (int i = 0; i < WIDTH; i++) {
                    error += dense[i * 3 + out] * (rows[i] + rows[WIDTH + i]);
                }
                loss += error * error;
                biasGradient[out] = error;
                for (int i = 0; i < WIDTH; i++) {
                    denseGradient[i * 3 + out] = error * (rows[i] + rows[WIDTH + i]);
                    rowGradient[i] += error * dense[i * 3 + out];
                    rowGradient[WIDTH + i] += error * dense[i * 3 + out];
                }
            }
            losses.add(loss);
            Tensors.push(worker, DENSE, denseGradient).await();
            Tensors.push(worker, BIAS, biasGradient).await();
            Tensors.pushRows(worker, TABLE, keys, rowGradient).await();
        }
        return losses;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aModelSavedOnTwoServersHasTheSameLossesAsWithoutABreak(int servers) {
        List<Double> unbroken;
        try (PsCluster cluster = cluster(2, 1)) {
            Worker worker = cluster.worker();
            init(worker);
            train(worker, 0, 30);
            ModelCheckpoints.at(worker, "ctr").save(30, Map.of("epoch", "3", "position", "ä \n%+"));
            unbroken = train(worker, 30, 60);
        }
        try (PsCluster cluster = cluster(servers, 1)) {
            Worker worker = cluster.worker();
            init(worker);
            train(worker, 70, 75); // is forgotten
            ModelCheckpoint loaded =
                    ModelCheckpoints.at(worker, "ctr").loadLatest().orElseThrow();
            assertThat(loaded.step()).isEqualTo(30);
            assertThat(loaded.record(0)).isEqualTo(Map.of("epoch", "3", "position", "ä \n%+"));
            assertThat(loaded.tensors()).extracting(each -> each.id()).containsExactly(BIAS, DENSE, TABLE);
            assertThat(train(worker, 30, 60)).isEqualTo(unbroken);
        }
    }

    /** Updates below the push bound are in the caches alone until the save. */
    @Test
    void aSaveHasTheUnsentUpdatesOfAllCachesAndALoadEmptiesThem() {
        TensorSpec cached = TensorSpec.table("cached", 100, WIDTH).optimizer(Optimizers.add());
        long[] keys = {3, 70};
        float[] ones = new float[2 * WIDTH];
        Arrays.fill(ones, 1);
        try (PsCluster cluster = cluster(2, 2)) {
            onAll(cluster.workers(), worker -> {
                try (EmbeddingCache cache = EmbeddingCache.of(worker, cached)
                        .rows(10)
                        .pullBound(EmbeddingCache.UNLIMITED)
                        .pushBound(100)
                        .open()) {
                    ModelCheckpoints checkpoints =
                            ModelCheckpoints.at(worker, "m").caches(cache);
                    float[] rows = new float[2 * WIDTH];
                    cache.lookUp(keys, rows);
                    cache.update(keys, ones);
                    worker.barrier();
                    Tensors.pullRows(worker, cache.table(), keys, rows).await();
                    assertThat(rows).containsOnly(0);
                    worker.barrier();
                    checkpoints.save(1, Map.of());
                    Tensors.pullRows(worker, cache.table(), keys, rows).await();
                    assertThat(rows).containsOnly(2);
                    worker.barrier();
                    cache.update(keys, ones);
                    assertThat(checkpoints.loadLatest()).isPresent();
                    cache.lookUp(keys, rows);
                    assertThat(rows).containsOnly(2);
                    assertThat(cache.counters().misses()).isEqualTo(2);
                }
                worker.barrier();
                float[] closed = new float[2 * WIDTH];
                Tensors.pullRows(worker, TensorId.of("cached"), keys, closed).await();
                assertThat(closed).as("no update from before the load was sent").containsOnly(2);
                return true;
            });
        }
    }

    /** Trains a table on the servers and reduced weights. Returns the weights after each step. */
    private static List<float[]> trainHybrid(Worker worker, Weights table, Weights dense, int from, int to) {
        List<float[]> weights = new ArrayList<>();
        for (int step = from; step < to; step++) {
            Random random = new Random(10L * step + worker.rank());
            float[] gradient = new float[12];
            for (int i = 0; i < gradient.length; i++) {
                gradient[i] = random.nextFloat() - 0.5f;
            }
            table.push(gradient).await();
            dense.push(gradient).await();
            float[] both = new float[2 * gradient.length];
            float[] part = new float[gradient.length];
            table.pull(part).await();
            System.arraycopy(part, 0, both, 0, part.length);
            dense.pull(part).await();
            System.arraycopy(part, 0, both, part.length, part.length);
            weights.add(both);
        }
        return weights;
    }

    private static Weights hybrid(Worker worker, boolean reduced) {
        TensorSpec spec = TensorSpec.dense(reduced ? "reduced" : "on servers", 4, 3)
                .initializer(Initializers.normal(0, 1, 5))
                .optimizer(Optimizers.adam(0.05).schedule(Schedule.cosine(50, 0.1)))
                .updates(Updates.MEAN);
        return reduced ? Weights.reduced(worker, spec) : Weights.onServers(worker, spec);
    }

    @Test
    void reducedWeightsAreSavedAndLoadedWithTheModel() {
        List<List<float[]>> unbroken;
        try (PsCluster cluster = cluster(2, 2)) {
            unbroken = onAll(cluster.workers(), worker -> {
                Weights table = hybrid(worker, false);
                Weights dense = hybrid(worker, true);
                trainHybrid(worker, table, dense, 0, 10);
                ModelCheckpoints.at(worker, "hybrid").weights(table, dense).save(10, Map.of());
                return trainHybrid(worker, table, dense, 10, 20);
            });
        }
        try (PsCluster cluster = cluster(3, 2)) {
            List<List<float[]>> resumed = onAll(cluster.workers(), worker -> {
                Weights table = hybrid(worker, false);
                Weights dense = hybrid(worker, true);
                trainHybrid(worker, table, dense, 50, 53); // is forgotten
                ModelCheckpoints checkpoints =
                        ModelCheckpoints.at(worker, "hybrid").weights(table, dense);
                assertThat(checkpoints.loadLatest().orElseThrow().step()).isEqualTo(10);
                return trainHybrid(worker, table, dense, 10, 20);
            });
            for (int worker = 0; worker < 2; worker++) {
                assertThat(resumed.get(worker).toArray(float[][]::new))
                        .isDeepEqualTo(unbroken.get(0).toArray(float[][]::new));
            }
        }
    }

    @Test
    void reducedWeightsAreAmongTheSelectedTensorsAndMustHaveBeenSaved() {
        try (PsCluster cluster = cluster(1, 1)) {
            Worker worker = cluster.worker();
            init(worker);
            Weights dense = hybrid(worker, true);
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "m").tensors(BIAS).weights(dense);
            dense.push(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).await();
            float[] saved = new float[12];
            dense.pull(saved).await();
            checkpoints.save(1, Map.of("a", "b"));
            dense.push(saved).await();
            ModelCheckpoint loaded = checkpoints.loadLatest().orElseThrow();
            assertThat(loaded.record(0)).isEqualTo(Map.of("a", "b"));
            float[] now = new float[12];
            dense.pull(now).await();
            assertThat(now).isEqualTo(saved);
            ModelCheckpoints.at(worker, "m").save(2, Map.of());
            assertThatThrownBy(checkpoints::loadLatest)
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("BAD_REQUEST: reduced weights \"reduced\": not in checkpoint");
            dense.pull(now).await();
            assertThat(now).isEqualTo(saved);
        }
    }

    /** Returns the failure of a worker's work; empty if there is none. */
    private static Function<Worker, Optional<PsException>> failureOf(Function<Worker, ?> work) {
        return worker -> {
            try {
                var unused = work.apply(worker);
                return Optional.empty();
            } catch (PsException e) {
                return Optional.of(e);
            }
        };
    }

    private static boolean save(Worker worker, long step) {
        ModelCheckpoints.at(worker, "ctr").keep(2).save(step, Map.of("position", step + "/" + worker.rank()));
        return true;
    }

    @Test
    void aWorkerThatIsAbsentKeepsItsRecord() {
        try (PsCluster cluster = cluster(2, 2)) {
            onAll(cluster.workers(), worker -> {
                init(worker);
                return save(worker, 1);
            });
            cluster.worker(1).close();
            Worker other = cluster.worker(0);
            assertThat(save(other, 2)).isTrue();
            ModelCheckpoints checkpoints = ModelCheckpoints.at(other, "ctr").keep(1);
            ModelCheckpoint latest = checkpoints.latest().orElseThrow();
            assertThat(latest.record(0)).isEqualTo(Map.of("position", "2/0"));
            assertThat(latest.record(1)).isEqualTo(Map.of("position", "1/1"));
            assertThat(latest.recordSteps()).isEqualTo(Map.of(0, 2L, 1, 1L));
            checkpoints.save(3, Map.of());
            latest = checkpoints.latest().orElseThrow();
            assertThat(latest.records()).isEqualTo(Map.of(1, Map.of("position", "1/1")));
            assertThat(latest.recordSteps()).isEqualTo(Map.of(0, 3L, 1, 1L));
            assertThatThrownBy(() -> checkpoints.save(4, Map.of("psf:step", "1")))
                    .hasMessage("key of a record: psf:step (expected: one that does not begin with psf:)");
        }
    }

    @Test
    void eachWorkerGetsItsRecordAndTheNewestAreKept() {
        try (PsCluster cluster = cluster(2, 2)) {
            onAll(cluster.workers(), worker -> {
                init(worker);
                for (long step : new long[] {9, 10, 11}) {
                    Tensors.push(worker, BIAS, new float[] {1, 1, 1}); // awaited by the save
                    save(worker, step);
                }
                return worker;
            });
            List<ModelCheckpoint> loaded = onAll(
                    cluster.workers(),
                    worker -> ModelCheckpoints.at(worker, "ctr").loadLatest().orElseThrow());
            for (ModelCheckpoint each : loaded) {
                assertThat(each.step()).isEqualTo(11);
                assertThat(each.record(0)).isEqualTo(Map.of("position", "11/0"));
                assertThat(each.record(1)).isEqualTo(Map.of("position", "11/1"));
                assertThat(each.record(2)).isEmpty();
            }
            assertThat(Tensors.pull(cluster.worker(), BIAS)[0]).isCloseTo(-0.6f, within());
            assertThat(ModelCheckpoints.at(cluster.worker(), "ctr").list())
                    .extracting(ModelCheckpoint::step)
                    .containsExactly(11L, 10L);
            assertThat(folder.resolve("ctr/step-000000000009")).doesNotExist();
            assertThat(onAll(
                            cluster.workers(),
                            worker -> ModelCheckpoints.at(worker, "none").loadLatest()))
                    .containsOnly(Optional.empty());
        }
    }

    private static Offset<Float> within() {
        return Offset.offset(1e-5f);
    }

    private Path shardOf(long step) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(String.format(Locale.ROOT, "ctr/step-%012d", step)))) {
            return files.filter(file -> file.toString().endsWith(".pack"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void damagedCheckpointsAreSkipped() throws IOException {
        try (PsCluster cluster = cluster(2, 1)) {
            Worker worker = cluster.worker();
            init(worker);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "ctr").keep(5);
            List<float[]> values = new ArrayList<>();
            for (int step = 0; step < 4; step++) {
                train(worker, step, step + 1);
                values.add(Tensors.pull(worker, DENSE));
                checkpoints.save(step, Map.of());
            }
            Files.delete(shardOf(3));
            assertThat(checkpoints.latest().orElseThrow().step()).isEqualTo(2);
            byte[] bytes = Files.readAllBytes(shardOf(2)); // of the same length, with another content
            bytes[bytes.length - 6] ^= 1;
            Files.write(shardOf(2), bytes);
            Files.writeString(folder.resolve("ctr/step-000000000001/model"), "psf-model 1\n");
            assertThat(checkpoints.loadLatest().orElseThrow().step()).isZero();
            assertThat(Tensors.pull(worker, DENSE)).isEqualTo(values.get(0));
            for (long step : new long[] {1, 2, 3, 4}) {
                assertThatThrownBy(() -> checkpoints.load(step))
                        .isInstanceOfSatisfying(
                                PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE));
            }
            assertThat(Tensors.pull(worker, DENSE)).isEqualTo(values.get(0));
            checkpoints.save(3, Map.of()); // replaces the damaged one
            assertThat(checkpoints.latest().orElseThrow().step()).isEqualTo(3);
        }
    }

    @Test
    void aFailureReachesAllWorkersAndTheNextSaveWorks() throws IOException {
        try (PsCluster cluster = cluster(2, 2)) {
            onAll(cluster.workers(), worker -> {
                init(worker);
                return save(worker, 1);
            });
            Path blocked = Files.writeString(folder.resolve("ctr/step-000000000002"), "");
            List<Optional<PsException>> failures = onAll(cluster.workers(), failureOf(worker -> save(worker, 2)));
            assertThat(failures)
                    .allSatisfy(each -> assertThat(each.orElseThrow().code()).isEqualTo(PsException.Code.STORAGE));
            Files.delete(blocked);
            assertThat(ModelCheckpoints.at(cluster.worker(), "ctr")
                            .latest()
                            .orElseThrow()
                            .step())
                    .isEqualTo(1);
            failures = onAll(cluster.workers(), failureOf(worker -> save(worker, 3 + worker.rank())));
            assertThat(failures)
                    .anySatisfy(
                            each -> assertThat(each.orElseThrow())
                                    .hasMessageContaining(
                                            "save of step 4 of model \"ctr\" by worker 1 (expected: save of step 3 of model \"ctr\", as by worker 0)"));
            onAll(cluster.workers(), worker -> save(worker, 5));
            assertThat(ModelCheckpoints.at(cluster.worker(), "ctr")
                            .latest()
                            .orElseThrow()
                            .step())
                    .isEqualTo(5);
        }
    }

    /** Whatever servers the names belong to: a save of one model would lack the record of the other worker. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void twoModelsAreNotSavedAtOnce(int servers) {
        try (PsCluster cluster = cluster(servers, 2)) {
            init(cluster.worker());
            for (String other : List.of("b", "c", "d")) {
                List<Optional<PsException>> failures = onAll(cluster.workers(), failureOf(worker -> {
                    ModelCheckpoints.at(worker, worker.rank() == 0 ? "a" : other)
                            .save(1, Map.of());
                    return true;
                }));
                assertThat(failures)
                        .allSatisfy(each -> assertThat(each.orElseThrow())
                                .hasMessageContaining("BAD_REQUEST: save of step 1 of model \"" + other
                                        + "\" by worker 1 (expected: save of step 1 of model \"a\", as by worker 0)"));
                assertThat(ModelCheckpoints.at(cluster.worker(), other).list()).isEmpty();
            }
            assertThat(ModelCheckpoints.at(cluster.worker(), "a").list()).isEmpty();
        }
    }

    @Test
    void allWorkersGetTheCodeOfTheFailure() {
        try (PsCluster cluster = cluster(2, 2)) {
            onAll(cluster.workers(), worker -> {
                init(worker);
                return save(worker, 1);
            });
            Tensors.clear(cluster.worker(), BIAS);
            Tensors.init(cluster.worker(), TensorSpec.dense("bias", 4));
            List<Optional<PsException>> failures = onAll(
                    cluster.workers(),
                    failureOf(worker -> ModelCheckpoints.at(worker, "ctr").loadLatest()));
            assertThat(failures)
                    .allSatisfy(each -> assertThat(each.orElseThrow().code()).isEqualTo(PsException.Code.BAD_REQUEST))
                    .anySatisfy(each ->
                            assertThat(each.orElseThrow()).hasMessageMatching("(?s).*BAD_REQUEST: .*optimizer .*"));
        }
    }

    /** No worker does it: a save goes on when one of the workers is lost that wait for it. */
    @Test
    void aSaveEndsWithoutAWorkerThatIsLost() {
        try (PsCluster cluster = cluster(2, 2)) {
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            init(one);
            ModelOptions options = new ModelOptions(3, 0, List.of(), List.of(), true, true);
            List<Pending<MeetWorkers.Response>> waiting = new ArrayList<>();
            long number = -1;
            for (Worker each : List.of(one, two)) {
                number = JoinModelPsf.stub(each)
                        .call(0, "ctr", "save of step 1", List.of())
                        .await()
                        .attempt();
            }
            for (Worker each : List.of(one, two)) {
                waiting.add(MeetWorkersPsf.stub(each)
                        .call(0, "ctr", number, false, 1, false, true, false, options, List.of(), 0));
            }
            one.close();
            assertThat(waiting.get(1).await().step()).isEqualTo(1);
            assertThat(ModelCheckpoints.at(two, "ctr").latest().orElseThrow().step())
                    .isEqualTo(1);
        }
    }

    /** The one that passes the barrier with another call. */
    @Test
    void aWorkerThatTakesNoPartFailsTheSave() {
        try (PsCluster cluster = cluster(1, 2)) {
            init(cluster.worker(0));
            List<Optional<PsException>> failures = onAll(cluster.workers(), failureOf(worker -> {
                if (worker.rank() == 1) {
                    worker.barrier();
                    return true;
                }
                return save(worker, 1);
            }));
            assertThat(failures.get(0).orElseThrow())
                    .hasMessageContaining(
                            "BAD_REQUEST: save of step 1 of model \"ctr\": not called by workers [1], which"
                                    + " passed the barrier with another call");
        }
    }
}
