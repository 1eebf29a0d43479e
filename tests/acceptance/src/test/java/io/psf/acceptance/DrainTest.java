package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Client;
import io.psf.runtime.GivenTime;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Server;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that end in order, and how they say that they work. */
@Timeout(60)
final class DrainTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final float[] ONES = {1, 1, 1, 1};

    private static CompletableFuture<Void> drain(Server server, Duration limit) {
        return CompletableFuture.runAsync(() -> server.drain(limit));
    }

    @Test
    void anOpenRoundIsFinishedAndNoSessionIsOpened() throws Exception {
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(2).tcp().start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4).updates(Updates.SUM));
            Pending<?> zero = Tensors.push(cluster.worker(0), w, ONES);
            Gauges gauges = new Gauges();
            Server server = cluster.servers().get(0);
            server.listen(gauges);
            await().forever().until(() -> gauges.read("psf.calls.deferred") > 0);
            assertThat(server.health(LONG).isReady()).isTrue();

            CompletableFuture<Void> end = drain(server, LONG);
            await().forever().until(() -> !server.health(LONG).isReady());
            assertThat(server.health(LONG).isLive()).isTrue();
            WorkerConfig guest =
                    WorkerConfig.of("127.0.0.1", cluster.scheduler().port());
            assertThatThrownBy(() -> Guest.visit(guest).close())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("UNAVAILABLE: this server: about to end, accepts no new session");
            CompletableFuture<Client> client = CompletableFuture.supplyAsync(cluster::client);

            assertThat(end).isNotDone();
            Tensors.push(cluster.worker(1), w, ONES).await();
            zero.await();
            end.get();
            server.awaitTermination();
            assertThatThrownBy(() -> client.get()).hasMessageContaining("has left the cluster");
            assertThatThrownBy(() -> Tensors.pull(cluster.worker(0), w))
                    .hasMessageContaining("UNAVAILABLE: server 0 ")
                    .hasMessageContaining("has left the cluster");
        }
    }

    @Test
    void tensorsOfLaterAreOnTheServersThatAreLeft() {
        try (PsCluster cluster = PsCluster.builder().servers(3).start()) {
            Worker worker = cluster.worker();
            cluster.servers().get(0).drain(LONG);
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 4).optimizer(Optimizers.add()));
            assertThat(worker.layout(w).servers()).containsExactly(1, 2);
            Tensors.push(worker, w, ONES).await();
            assertThat(Tensors.pull(worker, w)).containsExactly(ONES);
        }
    }

    /** No call has run whose caller was not told so, and none waits for long. */
    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void eachCallThatHasRunIsAnsweredUnderLoad(TransportConfig.Kind kind) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .workers(2)
                .lanes(2)
                .interceptors((call, next) -> {
                    if (call.function().equals("psf.dense.push")) {
                        ran.incrementAndGet();
                    }
                    return next.get();
                })
                .over(new TransportConfig(kind, Duration.ZERO))
                .start()) {
            List<ClusterCaller> callers = new ArrayList<>(cluster.workers());
            callers.add(cluster.client());
            callers.add(cluster.client());
            List<CompletableFuture<Void>> loads = new ArrayList<>();
            for (int i = 0; i < callers.size(); i++) {
                ClusterCaller caller = callers.get(i);
                TensorId w = Tensors.init(
                        caller,
                        TensorSpec.dense("w" + i, 20_000)
                                .optimizer(Optimizers.add())
                                .slices(1));
                loads.add(CompletableFuture.runAsync(() -> push(caller, w, answered)));
            }
            await().forever().until(() -> answered.get() > 200);
            Server server = cluster.servers().get(0);
            long begin = GivenTime.nanos();
            server.drain(LONG);
            assertThat(Duration.ofNanos(GivenTime.nanos() - begin)).isLessThan(Duration.ofSeconds(10));
            for (CompletableFuture<Void> load : loads) {
                assertThatThrownBy(() -> load.get()).hasMessageContaining("has left the cluster");
            }
        }
        assertThat(answered.get()).isEqualTo(ran.get());
    }

    private static void push(ClusterCaller caller, TensorId tensor, AtomicInteger answered) {
        List<Pending<?>> sent = new ArrayList<>();
        try {
            while (true) {
                while (sent.size() < 8) {
                    sent.add(Tensors.push(caller, tensor, new float[20_000]));
                }
                sent.get(0).await();
                sent.remove(0);
                answered.incrementAndGet();
            }
        } catch (PsException end) {
            for (int i = 1; i < sent.size(); i++) {
                try {
                    sent.get(i).await();
                    answered.incrementAndGet();
                } catch (PsException e) {
                    assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE);
                }
            }
            throw end;
        }
    }

    @Test
    void callsThatDoNotEndDelayTheEndByTheLimit() {
        try (PsCluster cluster = PsCluster.builder().servers(1).workers(2).tcp().start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4).updates(Updates.SUM));
            Pending<?> push = Tensors.push(cluster.worker(0), w, ONES);
            Gauges gauges = new Gauges();
            cluster.servers().get(0).listen(gauges);
            await().forever().until(() -> gauges.read("psf.calls.deferred") > 0);
            long begin = System.nanoTime();
            long given = GivenTime.nanos();
            cluster.servers().get(0).drain(Duration.ofSeconds(1));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(Duration.ofNanos(GivenTime.nanos() - given)).isLessThan(Duration.ofSeconds(4));
            assertThatThrownBy(push::await).hasMessageContaining("UNAVAILABLE");
        }
    }

    /** A handler that runs for long is none, unless other work waits for it. */
    @Test
    void aServerWithAStuckLaneIsNotLive() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .interceptors((call, next) -> {
                    if (call.function().equals("psf.dense.pull")) {
                        running.countDown();
                        awaitQuietly(release);
                    }
                    return next.get();
                })
                .tcp()
                .start()) {
            Duration limit = Duration.ofMillis(800);
            Server server = cluster.servers().get(0);
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 4).slices(1));
            CompletableFuture<float[]> one = CompletableFuture.supplyAsync(() -> Tensors.pull(worker, w));
            running.await();
            await().during(Duration.ofMillis(1200))
                    .until(() -> server.health(limit).liveness().equals("server 0: makes progress"));
            CompletableFuture<float[]> two = CompletableFuture.supplyAsync(() -> Tensors.pull(worker, w));
            await().forever().until(() -> !server.health(limit).isLive());
            assertThat(server.health(limit).liveness())
                    .matches("server 0: psf-server-lane-0: work waits, and none has begun for \\d+ ms"
                            + " \\(expected: within 800 ms\\)");
            assertThat(server.health(limit).isReady()).isTrue();
            assertThat(server.health(LONG).isLive()).isTrue();
            release.countDown();
            one.get();
            two.get();
            await().forever().until(() -> server.health(limit).isLive());
            assertThat(cluster.scheduler().health(limit).isLive()).isTrue();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
