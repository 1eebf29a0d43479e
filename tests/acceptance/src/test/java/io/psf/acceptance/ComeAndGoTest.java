package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.AllReduce;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Ssp;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients, workers that join late or leave, and services. */
@Timeout(120)
class ComeAndGoTest {
    private static final TensorSpec DENSE =
            TensorSpec.dense("w", 1000).optimizer(Optimizers.add()).slices(3);

    private static float[] ones(int length) {
        float[] ones = new float[length];
        java.util.Arrays.fill(ones, 1);
        return ones;
    }

    private static float first(io.psf.api.ClusterCaller caller, TensorId tensor) {
        return Tensors.pull(caller, tensor)[0];
    }

    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void aClientCallsWhatAWorkerCallsAndNobodyWaitsForIt(TransportConfig.Kind kind) {
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .over(new TransportConfig(kind, Duration.ZERO))
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), DENSE);
            TensorId rounds = Tensors.init(
                    cluster.worker(),
                    TensorSpec.dense("rounds", 10).optimizer(Optimizers.add()).updates(Updates.SUM));
            Client client = cluster.client();
            TensorId own = Tensors.init(client, TensorSpec.table("own", 100, 4).optimizer(Optimizers.lamb(0.1)));
            for (int i = 0; i < 50; i++) {
                Tensors.push(client, w, ones(1000)).await();
                Tensors.pushRows(client, own, new long[] {i, 99}, ones(8)).await();
            }
            assertThat(first(cluster.worker(1), w)).isEqualTo(50);
            assertThat(client.members()).hasSize(4);
            assertThat(client.workers()).isEqualTo(2);

            assertThatThrownBy(() -> Tensors.push(client, rounds, ones(10)).await())
                    .hasMessageContaining(
                            "BAD_REQUEST: push to a synchronous tensor: called by a client (expected: by a"
                                    + " worker, since it waits for the other workers)");
            assertThatThrownBy(client::barrier).hasMessageContaining("barrier: of a client (expected: a worker");
            assertThatThrownBy(client::rank).hasMessageContaining("rank: of a client");
            assertThatThrownBy(() -> Ssp.join(client, 1, 1)).hasMessageContaining("BAD_REQUEST");

            Pending<?> zero = Tensors.push(cluster.worker(0), rounds, ones(10));
            Tensors.push(cluster.worker(1), rounds, ones(10)).await();
            zero.await();
            assertThat(first(client, rounds)).isEqualTo(2);
            CompletableFuture<Void> barrier = CompletableFuture.runAsync(cluster.worker(0)::barrier);
            cluster.worker(1).barrier();
            barrier.join();
        }
    }

    /** The scheduler and the servers remember nothing of those that have left. */
    @Test
    @Tag("long")
    void aThousandClientsLeaveNothingBehind() throws Exception {
        try (PsCluster cluster = PsCluster.builder().servers(2).tcp().start()) {
            Gauges scheduler = new Gauges();
            Gauges server = new Gauges();
            cluster.scheduler().listen(scheduler);
            cluster.servers().get(0).listen(server);
            TensorId w = Tensors.init(cluster.worker(), DENSE);
            double sessionsOfScheduler = scheduler.read("psf.sessions");
            double sessionsOfServer = server.read("psf.sessions");
            for (int i = 0; i < 1000; i++) {
                try (Client client = cluster.client()) {
                    Tensors.push(client, w, ones(1000)).await();
                }
            }
            assertThat(first(cluster.worker(), w)).isEqualTo(1000);
            await().forever().untilAsserted(() -> {
                assertThat(scheduler.read("psf.sessions")).isEqualTo(sessionsOfScheduler);
                assertThat(server.read("psf.sessions")).isEqualTo(sessionsOfServer);
                assertThat(server.read("psf.connections")).isEqualTo(sessionsOfServer);
            });
        }
    }

    /** Its slices are gone. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aNodeThatJoinsAfterAServerHasLeftIsToldSo(int gone) {
        try (PsCluster cluster = PsCluster.builder().servers(2).asService().start()) {
            cluster.servers().get(gone).close();
            assertThatThrownBy(cluster::client)
                    .hasMessageContaining(
                            "UNAVAILABLE: server " + gone + " has left the cluster (expected: all of its servers");
        }
    }

    @Test
    void aWorkerThatJoinsIsCountedFromTheNextRoundOn() {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(2).moreWorkers().start()) {
            TensorId rounds = Tensors.init(
                    cluster.worker(),
                    TensorSpec.dense("rounds", 10).optimizer(Optimizers.add()).updates(Updates.SUM));
            Pending<?> zero = Tensors.push(cluster.worker(0), rounds, ones(10));
            awaitArrived(zero);
            Worker late = cluster.join(-1);
            assertThat(late.rank()).isEqualTo(2);
            assertThat(late.workers()).isEqualTo(3);
            assertThat(late.isLate()).isTrue();
            Tensors.push(cluster.worker(1), rounds, ones(10)).await();
            zero.await();
            assertThat(first(late, rounds)).as("the round that was open").isEqualTo(2);

            List<Pending<?>> next = new ArrayList<>();
            next.add(Tensors.push(cluster.worker(0), rounds, ones(10)));
            next.add(Tensors.push(cluster.worker(1), rounds, ones(10)));
            awaitArrived(next.get(0));
            assertThat(next).noneMatch(Pending::isDone);
            Tensors.push(late, rounds, ones(10)).await();
            next.forEach(Pending::await);
            assertThat(first(late, rounds)).isEqualTo(5);

            next.clear();
            next.add(Tensors.push(cluster.worker(0), rounds, ones(10)));
            next.add(Tensors.push(cluster.worker(1), rounds, ones(10)));
            late.close();
            next.forEach(Pending::await);
            assertThat(first(cluster.worker(), rounds)).isEqualTo(7);
        }
    }

    /** Waits for as long as a push takes to the servers. */
    private static void awaitArrived(Pending<?> push) {
        await().pollDelay(Duration.ofMillis(200)).until(() -> true);
        assertThat(push.isDone()).isFalse();
    }

    @Test
    void aWorkerThatJoinsIsCountedFromTheNextBarrierOn() throws Exception {
        try (PsCluster cluster =
                PsCluster.builder().servers(1).workers(2).moreWorkers().start()) {
            CompletableFuture<Void> zero = CompletableFuture.runAsync(cluster.worker(0)::barrier);
            await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            Worker late = cluster.join(-1);
            CompletableFuture<Void> two = CompletableFuture.runAsync(late::barrier);
            cluster.worker(1).barrier();
            zero.get();
            CompletableFuture<Void> again = CompletableFuture.runAsync(cluster.worker(0)::barrier);
            await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            assertThat(two).isNotDone();
            assertThat(again).isNotDone();
            cluster.worker(1).barrier();
            CompletableFuture.allOf(two, again).get();
            assertThat(late.isLate()).isFalse();
        }
    }

    @Test
    void aWorkerThatJoinsTakesPartInTheNextAllReduceAndClock() throws Exception {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(2).moreWorkers().start()) {
            List<Worker> all = new ArrayList<>(cluster.workers());
            List<AllReduce> reduces = new ArrayList<>();
            List<Ssp> clocks = new ArrayList<>();
            all.forEach(worker -> {
                reduces.add(AllReduce.of(worker, "sum", 10));
                clocks.add(Ssp.join(worker, 7, 0));
            });
            for (int round = 0; round < 3; round++) {
                assertThat(reduceAll(reduces)).isEqualTo(2);
                tickAll(clocks);
            }
            Worker late = cluster.join(-1);
            reduces.add(AllReduce.of(late, "sum", 10));
            clocks.add(Ssp.join(late, 7, 0));
            assertThat(clocks.get(2).clock()).isEqualTo(3);
            for (int round = 0; round < 3; round++) {
                assertThat(reduceAll(reduces)).isEqualTo(3);
                tickAll(clocks);
            }
            late.close();
            reduces.remove(2);
            clocks.remove(2);
            assertThat(reduceAll(reduces)).isEqualTo(2);
            tickAll(clocks);
        }
    }

    private static float reduceAll(List<AllReduce> reduces) {
        List<float[]> values = new ArrayList<>();
        List<Pending<?>> sums = new ArrayList<>();
        for (AllReduce each : reduces) {
            values.add(ones(10));
            sums.add(each.sum(values.get(values.size() - 1)));
        }
        sums.forEach(Pending::await);
        return values.get(0)[9];
    }

    private static void tickAll(List<Ssp> clocks) {
        CompletableFuture.allOf(clocks.stream()
                        .map(each -> CompletableFuture.runAsync(each::tick))
                        .toArray(CompletableFuture<?>[]::new))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void aWorkerThatStartsAgainWithItsRankGoesOnFromItsRecord(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(2).checkpoints(folder).start()) {
            TensorId w = Tensors.init(cluster.worker(), DENSE);
            Tensors.push(cluster.worker(), w, ones(1000)).await();
            CompletableFuture.allOf(
                            CompletableFuture.runAsync(() ->
                                    ModelCheckpoints.at(cluster.worker(0), "m").save(5, Map.of("position", "50"))),
                            CompletableFuture.runAsync(() ->
                                    ModelCheckpoints.at(cluster.worker(1), "m").save(5, Map.of("position", "51"))))
                    .join();
            Tensors.push(cluster.worker(), w, ones(1000)).await();
            assertThatThrownBy(() -> cluster.join(1))
                    .hasMessageContaining(
                            "BAD_REQUEST: another worker: the cluster has all of its 2 servers and 2 workers"
                                    + " (expected: at most as many, unless PSF_WORKERS is 2+)");
            cluster.worker(1).close();
            Worker again = cluster.join(1);
            assertThat(again.rank()).isEqualTo(1);
            assertThat(again.workers()).isEqualTo(2);
            Tensors.init(again, DENSE);
            Optional<ModelCheckpoint> latest = ModelCheckpoints.at(again, "m").loadLatest();
            assertThat(latest.orElseThrow().step()).isEqualTo(5);
            assertThat(latest.orElseThrow().record(again.rank())).containsEntry("position", "51");
            assertThat(first(again, w)).as("the others train on").isEqualTo(2);
            assertThatThrownBy(() -> cluster.join(0)).hasMessageContaining("BAD_REQUEST");
        }
    }

    @Test
    void aServiceOutlivesItsWorkersUntilItIsToldToEnd() {
        PsCluster cluster =
                PsCluster.builder().servers(2).workers(2).asService().tcp().start();
        try (cluster) {
            TensorId w = Tensors.init(cluster.worker(), DENSE);
            Tensors.push(cluster.worker(), w, ones(1000)).await();
            cluster.workers().forEach(Worker::close);
            Client notebook = cluster.client();
            assertThat(first(notebook, w)).isEqualTo(1);

            CompletableFuture<Worker> one = CompletableFuture.supplyAsync(() -> cluster.join(-1));
            await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            assertThat(one).as("the next job begins with two workers, too").isNotDone();
            Worker other = cluster.join(-1);
            assertThat(List.of(one.join().rank(), other.rank())).containsExactlyInAnyOrder(0, 1);
            assertThat(other.isLate()).isFalse();
            Tensors.push(other, w, ones(1000)).await();

            notebook.end();
            await().forever()
                    .untilAsserted(() -> assertThatThrownBy(() -> first(other, w))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("the cluster has ended"));
            cluster.servers().forEach(server -> server.awaitTermination());
        }
        cluster.scheduler().awaitTermination();
    }
}
