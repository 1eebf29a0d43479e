package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Epochs of synchronous training in which the workers have unequal shares of the data. */
@Timeout(120)
final class EpochsTest {
    private static final int EPOCHS = 4;
    private static final int ROWS = 1001;
    /** With momentum another division into rounds is another model. */
    private static final TensorSpec SPEC = TensorSpec.dense("w", ROWS)
            .optimizer(Optimizers.momentum(0.01, 0.9))
            .slices(4);

    /** Returns the number of batches of a worker: 3 and 5, or 5 and 3. */
    private static int share(int worker, int epoch) {
        return (worker + epoch) % 2 == 0 ? 3 : 5;
    }

    private static float[] gradient(int worker, int epoch, int batch) {
        float[] values = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            values[i] = (float) Math.sin(worker + 3 * epoch + 31 * batch + i);
        }
        return values;
    }

    /** Returns what the rounds of the epochs come to: one step of the sum of each. */
    private static float[] expected() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, SPEC);
            for (int epoch = 0; epoch < EPOCHS; epoch++) {
                for (int batch = 0; batch < 5; batch++) {
                    float[] sum = new float[ROWS];
                    for (int rank = 0; rank < 2; rank++) {
                        float[] term = gradient(rank, epoch, batch);
                        for (int i = 0; i < ROWS && batch < share(rank, epoch); i++) {
                            sum[i] += term[i];
                        }
                    }
                    Tensors.push(worker, w, sum).await();
                }
            }
            return Tensors.pull(worker, w);
        }
    }

    private static void train(Worker worker, TensorId w, int epoch) {
        for (int batch = 0; batch < share(worker.rank(), epoch); batch++) {
            Tensors.push(worker, w, gradient(worker.rank(), epoch, batch)).await();
        }
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void afterABarrierAllThatHaveEndedTheirPushesTakePartAgain(int servers) {
        float[] expected = expected();
        try (PsCluster cluster = Clusters.start(Over.TCP, servers, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, SPEC.updates(Updates.SUM));
                for (int epoch = 0; epoch < EPOCHS; epoch++) {
                    train(worker, w, epoch);
                    Tensors.endPushes(worker, w);
                    worker.barrier();
                }
            });
            assertThat(Arrays.equals(Tensors.pull(cluster.worker(), TensorId.of("w")), expected))
                    .isTrue();
            assertThat(Tensors.rounds(cluster.worker(), TensorId.of("w")).closed())
                    .isEqualTo(5 * EPOCHS);
        }
    }

    @Test
    void anEpochEndsWithoutAWorkerThatLeavesAndATimeoutNamesThoseThatAreMissing() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 3)) {
            Worker worker = cluster.worker(0);
            TensorId w = Tensors.init(worker, SPEC.updates(Updates.SUM));
            assertThatThrownBy(() -> Tensors.endEpoch(worker, Duration.ofSeconds(1)))
                    .hasMessageStartingWith("TIMED_OUT: workers that have not ended epoch 1: [1, 2] (expected: none");
            CompletableFuture<Long> one = CompletableFuture.supplyAsync(() -> Tensors.endEpoch(cluster.worker(1)));
            CompletableFuture<Long> zero = CompletableFuture.supplyAsync(() -> Tensors.endEpoch(worker));
            Tensors.push(cluster.worker(2), w, gradient(2, 0, 0)).await(); // closes without the two
            assertThat(one.isDone() || zero.isDone()).isFalse();
            cluster.worker(2).close();
            assertThat(one.join()).isEqualTo(1);
            assertThat(zero.join()).isEqualTo(1);
            Pending<?> waits = Tensors.push(worker, w, gradient(0, 0, 0));
            var unused = Tensors.list(worker); // when the servers have received the push
            assertThat(waits.isDone()).isFalse();
            Tensors.push(cluster.worker(1), w, gradient(1, 0, 0)).await();
            waits.await();
        }
    }

    /** A step of the loop is an epoch. */
    @Test
    void theModelIsThatOfAnUndisturbedTrainingAlsoIfServersComeBack() throws Exception {
        float[] expected = expected();
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .checkpoints(folder)
                .serverReturn(Duration.ofMinutes(2))
                .start()) {
            AtomicLong batches = new AtomicLong();
            CompletableFuture<Void> training = CompletableFuture.runAsync(() -> onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, SPEC.updates(Updates.SUM));
                ModelCheckpoints.at(worker, "m").everySteps(1).run(EPOCHS, step -> {
                    for (int batch = 0; batch < share(worker.rank(), (int) step - 1); batch++) {
                        Tensors.push(worker, w, gradient(worker.rank(), (int) step - 1, batch))
                                .await();
                        batches.incrementAndGet();
                    }
                    Tensors.endEpoch(worker);
                });
            }));
            for (int server = 0; server < 2; server++) { // server 0 leads the ends of epochs
                long from = batches.get();
                await().forever().until(() -> training.isDone() || batches.get() > from + 3);
                cluster.servers().get(server).close();
                cluster.restart(server);
            }
            training.join();
            assertThat(Arrays.equals(Tensors.pull(cluster.worker(), TensorId.of("w")), expected))
                    .isTrue();
        }
    }

    @Test
    void aSynchronousPushThatHasTimedOutIsNotAppliedAndMayBeMadeAgain() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            TensorId w = Tensors.init(
                    cluster.worker(0), SPEC.optimizer(Optimizers.add()).updates(Updates.SUM));
            float[] ones = new float[ROWS];
            Arrays.fill(ones, 1);
            for (int late = 0; late < 2; late++) {
                Worker worker = cluster.worker(late);
                assertThatThrownBy(() -> DensePushPsf.stub(worker)
                                .withDeadline(Duration.ofSeconds(1))
                                .call(w, FloatArray.wrap(ones))
                                .await())
                        .hasMessageStartingWith("TIMED_OUT: workers without a push in round " + (late + 1))
                        .hasMessageContaining("the push was not applied");
                Pending<?> again = Tensors.push(worker, w, ones);
                Tensors.push(cluster.worker(1 - late), w, ones).await();
                again.await();
                assertThat(Tensors.pull(worker, w)).containsOnly(2 * (late + 1));
            }
        }
    }
}
