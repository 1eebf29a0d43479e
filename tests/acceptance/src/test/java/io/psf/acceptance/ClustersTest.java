package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clusters form, every time, and know nothing of each other. */
@Timeout(300)
final class ClustersTest {
    @Test
    @Tag("long")
    void clustersOverTcpStartServeAndEndOneAfterAnother() {
        int clusters = 20 * Integer.getInteger("psf.laws.times", 1);
        for (int i = 0; i < clusters; i++) {
            int round = i;
            try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
                Clusters.onEachWorker(cluster, worker -> {
                    TensorId w =
                            Tensors.init(worker, TensorSpec.dense("w", 100).initializer(Initializers.constant(round)));
                    assertThat(Tensors.pull(worker, w)).containsOnly(round);
                    worker.barrier();
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void twoClustersInOneJvmKnowNothingOfEachOther(Over over) {
        for (int round = 0; round < 2; round++) {
            try (PsCluster one = Clusters.start(over, 2, 2);
                    PsCluster two = Clusters.start(over, 3, 1)) {
                TensorId w =
                        Tensors.init(one.worker(), TensorSpec.dense("w", 10).initializer(Initializers.constant(1)));
                Tensors.init(two.worker(), TensorSpec.dense("w", 20).initializer(Initializers.constant(2)));
                Tensors.push(one.worker(), w, new float[10]).await();
                assertThat(Tensors.pull(one.worker(1), w)).hasSize(10).containsOnly(1f);
                assertThat(Tensors.pull(two.worker(), w)).hasSize(20).containsOnly(2f);
            }
        }
    }

    @Test
    void aSchedulerThatWaitsInVainSaysForWhom() {
        SchedulerConfig config = SchedulerConfig.of(2, 1).withJoinTimeout(Duration.ofSeconds(3));
        try (Scheduler scheduler = Scheduler.start(config)) {
            CompletableFuture<PsException> worker = CompletableFuture.supplyAsync(() -> catchThrowableOfType(
                    PsException.class,
                    () -> Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port()))
                            .close()));
            PsException end = catchThrowableOfType(PsException.class, scheduler::awaitTermination);
            assertThat(end.code()).isEqualTo(Code.TIMED_OUT);
            assertThat(end).hasMessageContaining("0 of 2 servers and 1 of 1 workers");
            assertThat(worker.orTimeout(10, TimeUnit.SECONDS).join())
                    .hasMessageContaining("0 of 2 servers and 1 of 1 workers");
        }
    }

    @Test
    void aWorkerTooManyIsRefused() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 1)) {
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Worker.connect(WorkerConfig.of(
                                    "127.0.0.1", cluster.scheduler().port()))
                            .close());
            assertThat(e).hasMessageContaining("the cluster has all of its 1 server and 1 worker");
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(0f);
        }
    }

    @Test
    void aWorkerWithoutASchedulerSaysWhereItLooked() {
        PsException e = catchThrowableOfType(
                PsException.class,
                () -> Worker.connect(WorkerConfig.of("127.0.0.1", 1).withJoinTimeout(Duration.ofMillis(200)))
                        .close());
        assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(e).hasMessageContaining("scheduler at 127.0.0.1:1: not reached within 200 ms");
    }

    @Test
    void aClosedWorkerSaysSo() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 2)) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            cluster.worker(1).close();
            PsException e = catchThrowableOfType(PsException.class, () -> Tensors.pull(cluster.worker(1), w));
            assertThat(e.code()).isEqualTo(Code.CLOSED);
            cluster.worker().barrier();
        }
    }
}
