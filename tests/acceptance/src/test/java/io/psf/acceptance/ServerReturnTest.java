package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.api.spi.Routing;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TaskCaller;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server takes the place of one that has left. */
@Timeout(120)
class ServerReturnTest {
    private static final TensorSpec DENSE =
            TensorSpec.dense("w", 1000).optimizer(Optimizers.adam(0.01)).slices(6);
    private static final TensorSpec TABLE = TensorSpec.growing("t", 4).optimizer(Optimizers.adaGrad(0.1));

    @TempDir
    Path folder;

    private PsCluster.Builder cluster(int workers) {
        return PsCluster.builder()
                .servers(3)
                .workers(workers)
                .checkpoints(folder)
                .serverReturn(Duration.ofMinutes(2));
    }

    /** A step of a worker: what it pushes depends on the step and the rank alone. */
    private static void step(ClusterCaller worker, long step) {
        float[] update = values(1000, (int) step * 31 + worker.rank() * 7);
        long[] keys = {step % 10, 1000 + step, worker.rank()};
        float[] rows = values(12, (int) step);
        Tensors.push(worker, TensorId.of("w"), update).await();
        Tensors.pushRows(worker, TensorId.of("t"), keys, rows).await();
    }

    private static float[] values(int length, int seed) {
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = (float) Math.sin(seed + i);
        }
        return values;
    }

    private static List<Object> model(ClusterCaller worker) {
        List<Object> model = new ArrayList<>();
        model.add(Tensors.pull(worker, TensorId.of("w")));
        long[] keys = new long[2000];
        Arrays.setAll(keys, i -> i);
        float[] rows = new float[4 * keys.length];
        Tensors.pullRows(worker, TensorId.of("t"), keys, rows).await();
        model.add(rows);
        return model;
    }

    private static void init(ClusterCaller worker) {
        Tensors.init(worker, List.of(DENSE, TABLE));
    }

    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void callsWaitForTheServerThatHasTheLostSlicesOfTheCheckpoint(TransportConfig.Kind kind) {
        try (PsCluster cluster =
                cluster(1).over(new TransportConfig(kind, Duration.ZERO)).start()) {
            Worker worker = cluster.worker();
            init(worker);
            for (long step = 1; step <= 20; step++) {
                step(worker, step);
            }
            ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(20, Map.of());
            List<Object> saved = model(worker);
            cluster.servers().get(1).close();
            CompletableFuture<List<Object>> waits = CompletableFuture.supplyAsync(() -> model(worker));
            cluster.restart(1);
            assertThat(waits.join()).usingRecursiveComparison().isEqualTo(saved);
            step(worker, 21);
            worker.barrier();
            assertThat(worker.lost()).isEmpty();
        }
    }

    /** The lost slices have the values of the checkpoint, the others those of later pushes. */
    @Test
    void theLostSlicesAloneGoBack() {
        try (PsCluster cluster = cluster(1).start()) {
            Worker worker = cluster.worker();
            TensorId sum = Tensors.init(
                    worker,
                    TensorSpec.dense("sum", 3).optimizer(Optimizers.add()).slices(3));
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").restore(Restore.LOST);
            float[] ones = {1, 1, 1};
            Tensors.push(worker, sum, ones).await();
            checkpoints.save(1, Map.of());
            Tensors.push(worker, sum, ones).await();
            cluster.servers().get(2).close();
            Pending<?> push = Tensors.push(worker, sum, ones);
            cluster.restart(2);
            push.await();
            assertThat(Tensors.pull(worker, sum)).containsExactly(3, 3, 2);
        }
    }

    /** Those that its rank owns: the others keep their newest points. */
    @Test
    void theReportsOfALostServerComeBackFromTheCheckpoint() {
        try (PsCluster cluster = cluster(2).start()) {
            Worker worker = cluster.worker();
            init(worker);
            int owner = Routing.partition(0) % 3;
            assertThat(Routing.partition(1) % 3).as("the server of worker 1").isNotEqualTo(owner);
            together(cluster, each -> {
                Reports.scalar(each, "loss", 1, 0.5).await();
                ModelCheckpoints.at(each, "m").restore(Restore.LOST).save(1, Map.of());
                return Reports.scalar(each, "loss", 2, 0.25).await();
            });
            cluster.servers().get(owner).close();
            cluster.restart(owner);
            Tensors.pull(worker, TensorId.of("w"));
            assertThat(Reports.of(worker).stream().map(Object::toString))
                    .containsExactly("loss of 0: [1] [0.5]", "loss of 1: [1, 2] [0.5, 0.25]");
        }
    }

    /** Half of it would be lost. */
    @Test
    void aTensorThatNoCheckpointHasIsDroppedAndMadeAnew() {
        try (PsCluster cluster = cluster(1).start()) {
            Worker worker = cluster.worker();
            TensorSpec sum =
                    TensorSpec.dense("sum", 3).optimizer(Optimizers.add()).slices(3);
            TensorSpec late =
                    TensorSpec.dense("late", 3).optimizer(Optimizers.add()).slices(3);
            TensorSpec elsewhere = TensorSpec.dense("b", 1).optimizer(Optimizers.add());
            Tensors.init(worker, sum);
            ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
            List<TensorId> more = Tensors.init(worker, List.of(late, elsewhere));
            int other = (worker.layout(more.get(1)).servers().get(0) + 1) % 3; // none of its slices is lost
            more.forEach(each -> Tensors.push(
                            worker,
                            each,
                            new float[(int) worker.layout(each).info().rows()])
                    .await());
            worker.awaitAll();
            cluster.servers().get(other).close();
            cluster.restart(other);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Tensors.pull(worker, more.get(0)))
                        .hasMessageContaining("UNKNOWN_TENSOR")
                        .hasMessageContaining("\"late\"")
                        .hasMessageContaining("dropped with a lost server, since no checkpoint has it");
            }
            assertThat(Tensors.pull(worker, TensorId.of("sum"))).containsOnly(0);
            assertThat(Tensors.pull(worker, more.get(1))).containsOnly(0);
            TensorId anew = Tensors.init(worker, late);
            Tensors.push(worker, anew, new float[] {1, 1, 1}).await();
            assertThat(Tensors.pull(worker, anew)).containsOnly(1);
            Tensors.clear(worker, anew);
            assertThatThrownBy(() -> Tensors.pull(worker, anew))
                    .hasMessageContaining("UNKNOWN_TENSOR")
                    .hasMessageNotContaining("dropped");
        }
    }

    /** The checkpoint is on the disk, and the scheduler has not heard of it. */
    @Test
    void aServiceHealsThatHasLostAServerBeforeItLoadedACheckpoint() {
        TensorSpec sum = TensorSpec.dense("sum", 3).optimizer(Optimizers.add()).slices(3);
        try (PsCluster cluster = cluster(1).start()) {
            TensorId id = Tensors.init(cluster.worker(), sum);
            Tensors.push(cluster.worker(), id, new float[] {1, 2, 3}).await();
            ModelCheckpoints.at(cluster.worker(), "m").save(1, Map.of());
        }
        try (PsCluster cluster = cluster(0).asService().start()) {
            try (Client client = cluster.client()) {
                Tensors.init(client, sum);
            }
            cluster.servers().get(1).close();
            cluster.restart(1);
            try (Client client = cluster.client()) {
                TensorId id = Tensors.init(client, sum);
                assertThat(ModelCheckpoints.at(client, "m").loadLatest()).isPresent();
                assertThat(Tensors.pull(client, id)).containsExactly(1, 2, 3);
            }
        }
    }

    @Test
    void allWorkersGoBackTogetherAndTheModelIsThatOfAnUndisturbedTraining() {
        List<Object> undisturbed;
        try (PsCluster cluster = cluster(2).start()) {
            init(cluster.worker());
            for (long step = 1; step <= 30; step++) {
                for (Worker each : cluster.workers()) {
                    step(each, step);
                }
            }
            undisturbed = model(cluster.worker());
        }
        try (PsCluster cluster = cluster(2).start()) {
            init(cluster.worker());
            train(cluster, 1, 20);
            assertThat(rolledBackBySomeCall(
                            cluster, () -> cluster.servers().get(0).close(), () -> cluster.restart(0)))
                    .isEqualTo(2);
            assertThat(loaded(cluster)).isEqualTo(10);
            train(cluster, 11, 30);
            assertThat(model(cluster.worker())).usingRecursiveComparison().isEqualTo(undisturbed);
        }
    }

    /** Trains in turns, and saves step 10. */
    private static void train(PsCluster cluster, long from, long to) {
        for (long step = from; step <= to; step++) {
            for (Worker each : cluster.workers()) {
                step(each, step);
            }
            long now = step;
            if (step == 10) {
                together(cluster, each -> {
                    ModelCheckpoints.at(each, "exact").save(now, Map.of());
                    return now;
                });
            }
        }
    }

    private static long loaded(PsCluster cluster) {
        List<Long> steps = together(
                cluster,
                each -> ModelCheckpoints.at(each, "exact")
                        .loadLatest()
                        .map(ModelCheckpoint::step)
                        .orElse(-1L));
        assertThat(steps.stream().distinct()).hasSize(1);
        return steps.get(0);
    }

    private static <T> List<T> together(PsCluster cluster, java.util.function.Function<Worker, T> work) {
        List<CompletableFuture<T>> all = cluster.workers().stream()
                .map(each -> CompletableFuture.supplyAsync(() -> work.apply(each)))
                .toList();
        return all.stream().map(CompletableFuture::join).toList();
    }

    /** Returns the number of workers of which one call fails with ROLLED_BACK after a node has come back. */
    private static long rolledBackBySomeCall(PsCluster cluster, Runnable lose, Runnable comeBack) {
        lose.run();
        comeBack.run();
        return cluster.workers().stream().filter(ServerReturnTest::isRolledBack).count();
    }

    private static boolean isRolledBack(Worker worker) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (System.nanoTime() < until) {
            try {
                Tensors.pull(worker, TensorId.of("w"));
            } catch (PsException e) {
                if (e.code() == Code.ROLLED_BACK) {
                    return true;
                }
                return false; // it is closed
            }
        }
        return false;
    }

    /** Servers come and go while a training loop runs; each step pushes to a synchronous tensor as well. */
    @Test
    void aTrainingLoopGoesBackByItselfAndItsModelIsThatOfAnUndisturbedTraining() throws Exception {
        List<Object> undisturbed = trained(cluster(2).checkpoints(folder.resolve("undisturbed")), 0);
        List<Object> disturbed = trained(cluster(2).checkpoints(folder.resolve("disturbed")), 4);
        assertThat(disturbed).usingRecursiveComparison().isEqualTo(undisturbed);
    }

    /** Trains 200 steps on two workers while servers are closed and replaced so many times. */
    private static List<Object> trained(PsCluster.Builder builder, int returns) throws Exception {
        try (PsCluster cluster = builder.start()) {
            AtomicLong reached = new AtomicLong();
            CompletableFuture<Void> training =
                    CompletableFuture.runAsync(() -> together(cluster, worker -> loop(worker, reached)));
            for (int i = 0; i < returns; i++) {
                long from = reached.get();
                await().forever().until(() -> training.isDone() || reached.get() > from + 9);
                cluster.servers().get(i % 3).close();
                cluster.restart(i % 3);
            }
            training.get(90, TimeUnit.SECONDS);
            assertThat(reached).hasValue(200);
            List<Object> model = model(cluster.worker());
            Reports.of(cluster.worker()).forEach(each -> model.add(each.toString()));
            assertThat(model.get(3).toString())
                    .startsWith("step of 1: [1, 2, 3,")
                    .endsWith("199.0, 200.0]");
            return model;
        }
    }

    private static long loop(Worker worker, AtomicLong reached) {
        TensorId rounds = Tensors.init(
                worker,
                TensorSpec.dense("w", 1000)
                        .optimizer(Optimizers.adam(0.01))
                        .slices(6)
                        .updates(Updates.SUM));
        TensorId counts = Tensors.init(worker, TensorSpec.growing("t", 4).optimizer(Optimizers.add()));
        float[] ones = {1, 1, 1, 1};
        return ModelCheckpoints.at(worker, "loop").everySteps(5).run(200, step -> {
            Tensors.push(worker, rounds, values(1000, (int) step * 31 + worker.rank() * 7))
                    .await();
            Tensors.pushRows(worker, counts, new long[] {step % 10}, ones).await();
            Tensors.pushRows(worker, counts, new long[] {step + 10}, ones).await();
            var unused = Reports.scalar(worker, "step", step, (double) step);
            reached.set(step);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        });
    }

    /**
     * The slices of the checkpoint have its steps. The attempt that has made later ones cannot go on there; the tasks
     * that are run again change what each slice does not have, whether they had ended or not.
     */
    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void tasksThatAreRunAgainChangeTheSlicesOfTheCheckpointOncePerStep(TransportConfig.Kind kind) {
        try (PsCluster cluster = cluster(1)
                        .over(new TransportConfig(kind, Duration.ZERO))
                        .start();
                Client client = cluster.client()) {
            Worker worker = cluster.worker();
            Tensors.init(
                    worker,
                    List.of(
                            TensorSpec.dense("w", 1000)
                                    .optimizer(Optimizers.add())
                                    .slices(6),
                            TensorSpec.growing("t", 4).optimizer(Optimizers.add())));
            TaskCaller ended = client.task(1);
            TaskCaller running = client.task(2);
            steps(ended, 0, 60);
            steps(running, 0, 30);
            ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
            steps(ended, 60, 80);
            steps(running, 30, 130);
            cluster.servers().get(1).close();
            cluster.restart(1);
            assertThatThrownBy(() -> steps(running, 130, 230))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(Code.ROLLED_BACK));
            steps(client.task(2), 0, 200);
            steps(client.task(1), 0, 80);
            steps(client.task(2), 0, 200);
            assertThat(Tensors.pull(client, TensorId.of("w"))).containsOnly(280);
            long[] keys = new long[50];
            Arrays.setAll(keys, key -> key);
            float[] rows = new float[4 * keys.length];
            Tensors.pullRows(client, TensorId.of("t"), keys, rows).await();
            for (int key = 0; key < keys.length; key++) {
                assertThat(rows[4 * key]).as("key %d", key).isEqualTo(4 + (key < 30 ? 2 : 1));
            }
        }
    }

    /** Two steps of a task for each number: to all slices, and to the slice of one key, each once. */
    private static void steps(TaskCaller task, int from, int to) {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1);
        for (int step = from; step < to; step++) {
            Tensors.push(task, TensorId.of("w"), ones).await();
            Tensors.pushRows(task, TensorId.of("t"), new long[] {step % 50}, new float[] {1, 1, 1, 1})
                    .await();
        }
    }

    @Test
    void withoutACheckpointALostServerIsLost() {
        try (PsCluster cluster = cluster(1).start()) {
            Worker worker = cluster.worker();
            init(worker);
            cluster.servers().get(1).close();
            await().forever()
                    .untilAsserted(() -> assertThatThrownBy(() -> model(worker)).hasMessageContaining("UNAVAILABLE"));
        }
    }
}
