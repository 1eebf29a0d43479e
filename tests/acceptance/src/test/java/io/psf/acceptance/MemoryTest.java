package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.cli.LocalJob;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers with little memory and workers that send far more than that: senders come to wait, and each push counts once.
 */
@Timeout(120)
final class MemoryTest {
    private static final int MB = 1 << 20;

    private static PsCluster cluster(TransportConfig.Kind kind, int workers, int memory) {
        return PsCluster.builder()
                .workers(workers)
                .over(TransportConfig.usual().withKind(kind))
                .memory(memory)
                .start();
    }

    private static WorkerConfig config(LocalJob job, TransportConfig.Kind kind) {
        String[] address = job.schedulerAddress().split(":", 2);
        return WorkerConfig.of(address[0], Integer.parseInt(address[1]))
                .withTransport(TransportConfig.usual().withKind(kind).withSpin(Duration.ZERO));
    }

    private static float[] ones(int n) {
        float[] ones = new float[n];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** One round of all workers' pushes, which the last one keeps open until the others have sent what they can. */
    private static final class LateRound {
        private final int workers;
        private final int layers;
        private final int floats;
        private final long sentBefore;
        private final FloatType wire;
        /** The rank of the worker that is late. */
        private final int late;

        private final List<Worker> early = new CopyOnWriteArrayList<>();

        LateRound(int workers, int layers, int floats, long sentBefore) {
            this(workers, layers, floats, sentBefore, FloatType.FLOAT32, workers - 1);
        }

        LateRound(int workers, int layers, int floats, long sentBefore, FloatType wire, int late) {
            this.wire = wire;
            this.late = late;
            this.workers = workers;
            this.layers = layers;
            this.floats = floats;
            this.sentBefore = sentBefore;
        }

        void run(Worker worker) {
            List<TensorId> ids = new ArrayList<>();
            for (int i = 0; i < layers; i++) {
                ids.add(Tensors.init(
                        worker,
                        TensorSpec.dense("layer" + i, floats)
                                .optimizer(Optimizers.add())
                                .wire(wire)
                                .updates(Updates.SUM)));
            }
            worker.barrier();
            if (worker.rank() != late) {
                early.add(worker);
            } else {
                await().forever()
                        .until(() -> early.stream().mapToLong(Worker::bytesSent).sum() > sentBefore);
            }
            float[] gradient = ones(floats);
            List<Pending<?>> pending = new ArrayList<>();
            ids.forEach(id -> pending.add(Tensors.push(worker, id, gradient)));
            pending.forEach(Pending::await);
            pending.clear();
            List<float[]> pulled = new ArrayList<>();
            for (TensorId id : ids) {
                pulled.add(new float[floats]);
                pending.add(Tensors.pull(worker, id, pulled.get(pulled.size() - 1)));
            }
            pending.forEach(Pending::await);
            for (float[] values : pulled) {
                assertThat(IntStream.range(0, floats).filter(i -> values[i] != workers))
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportConfig.Kind.class,
            names = {"SHM", "TCP", "NETTY"})
    void aServerOfLittleMemoryTakesALateWorkersRoundAndAnswersAllAtOnce(TransportConfig.Kind kind) {
        int workers = 6;
        LateRound round = new LateRound(workers, 3, MB / 4, 3L * MB); // 18 MB in all
        try (PsCluster cluster = cluster(kind, workers, 2 * MB)) {
            Clusters.onEachWorker(cluster, round::run);
        }
    }

    /** Over shared memory and over TCP. */
    @Test
    void aServerOfASmallHeapTakesALateWorkersRoundAndAnswersAllAtOnce() throws Exception {
        int workers = 6;
        LateRound round = new LateRound(workers, 2, MB, 8L * MB); // 48 MB in all
        runOnProcesses(round, workers, "-Xmx32m", "-XX:MaxDirectMemorySize=32m");
    }

    /** Runs a round of workers over shared memory and over TCP. */
    private static void runOnProcesses(LateRound round, int workers, String... flags) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(workers);
        try (LocalJob job = LocalJob.builder()
                .workers(workers)
                .nodeFlags(List.of(flags))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .start()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                WorkerConfig config = config(job, i % 2 == 0 ? TransportConfig.Kind.SHM : TransportConfig.Kind.TCP);
                running.add(threads.submit(() -> {
                    try (Worker worker = Worker.connect(config)) {
                        round.run(worker);
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(lines).noneMatch(line -> line.contains("ERROR") || line.contains("OutOfMemoryError"));
    }

    /**
     * The pushes of all other workers wait for the one of rank 0, since they are added in the order of the ranks. As
     * float32 they would take 80 MB.
     */
    @Test
    void pushesOfEightBitsThatWaitTakeTheMemoryOfTheirRequestsAlone() throws Exception {
        int workers = 6;
        LateRound round = new LateRound(workers, 4, MB, 10L * MB, FloatType.INT8, 0);
        runOnProcesses(round, workers, "-Xmx32m", "-XX:MaxDirectMemorySize=64m");
    }

    /** Handlers that keep their requests may take what others may not. */
    @ParameterizedTest
    @EnumSource(
            value = TransportConfig.Kind.class,
            names = {"SHM", "TCP", "NETTY"})
    void callsThatWaitForEachOtherMeetBeyondTheUsualMemory(TransportConfig.Kind kind) {
        int workers = 7; // each with half a megabyte, of 2.5 that may be taken at first; the inboxes take another half
        try (PsCluster cluster = cluster(kind, workers, 5 * MB)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", MB / 8).slices(1));
                Meet.Response met = MeetPsf.stub(worker)
                        .call(w, workers, FloatArray.wrap(ones(MB / 8)))
                        .await();
                assertThat(met.sum()).isEqualTo(workers * (MB / 8.0));
            });
        }
    }

    @Test
    void callsThatWaitForEachOtherAndCannotMeetAreToldAndTheServerGoesOn() {
        int workers = 6; // each with a megabyte, of 4
        AtomicInteger refused = new AtomicInteger();
        try (PsCluster cluster = cluster(TransportConfig.Kind.TCP, workers, 4 * MB)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", MB / 4).slices(1));
                worker.barrier();
                try {
                    MeetPsf.stub(worker)
                            .call(w, workers, FloatArray.wrap(ones(MB / 4)))
                            .await(Duration.ofSeconds(6));
                } catch (PsException e) {
                    if (e.code() == PsException.Code.RESOURCE_EXHAUSTED) {
                        refused.incrementAndGet();
                        assertThat(e.getMessage()).contains("PSF_MEMORY");
                    }
                }
                worker.barrier();
                Tensors.push(worker, w, ones(MB / 4)).await();
                worker.barrier();
                assertThat(Tensors.pull(worker, w)).containsOnly(workers);
            });
        }
        assertThat(refused.get()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportConfig.Kind.class,
            names = {"SHM", "TCP", "NETTY"})
    void aWorkerOfFewBytesIsServedBesideThoseOfMany(TransportConfig.Kind kind) {
        int workers = 4;
        AtomicBoolean done = new AtomicBoolean();
        try (PsCluster cluster = cluster(kind, workers, 4 * MB)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId heavy =
                        Tensors.init(worker, TensorSpec.dense("heavy", MB / 4).optimizer(Optimizers.add()));
                TensorId light =
                        Tensors.init(worker, TensorSpec.dense("light", 10_000).optimizer(Optimizers.add()));
                worker.barrier();
                if (worker.rank() > 0) {
                    List<Pending<?>> pending = new ArrayList<>();
                    while (!done.get()) {
                        pending.add(Tensors.push(worker, heavy, ones(MB / 4)));
                        if (pending.size() == 8) {
                            pending.remove(0).await();
                        }
                    }
                    pending.forEach(Pending::await);
                    return;
                }
                for (int i = 1; i <= 30; i++) {
                    Tensors.push(worker, light, ones(10_000)).await();
                }
                done.set(true);
                assertThat(Tensors.pull(worker, light)).containsOnly(30);
            });
        } finally {
            done.set(true);
        }
    }

    @Test
    void aFrameThatNeverFitsIsAnErrorThatNamesTheMemory() {
        try (PsCluster cluster = cluster(TransportConfig.Kind.TCP, 1, MB)) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", MB).slices(1));
            assertThat(catchThrowable(
                            () -> Tensors.push(cluster.worker(), w, ones(MB)).await()))
                    .hasMessageContaining("PSF_MEMORY");
        }
    }

    @Test
    void aRequestThatBecomesMoreThanThereIsIsAnErrorThatNamesTheMemory() {
        try (PsCluster cluster = cluster(TransportConfig.Kind.TCP, 2, 8 * MB)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
            assertThat(catchThrowable(() -> InitTensorPsf.stub(worker)
                            .call(Collections.nCopies(100_000, w), 0)
                            .await()))
                    .hasMessageContaining("RESOURCE_EXHAUSTED: objects that requests of one peer become:")
                    .hasMessageContaining("PSF_MEMORY");
            assertThat(Tensors.pull(worker, w)).hasSize(1000);
        }
    }

    /** Each of them is small enough. */
    @Test
    void requestsThatWaitTakeNoMoreThanThereIsAndLeaveSomeForOtherPeers() {
        try (PsCluster cluster = cluster(TransportConfig.Kind.TCP, 2, 8 * MB)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
            List<Pending<?>> pending = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                pending.add(InitTensorPsf.stub(worker).call(Collections.nCopies(500, w), 1_000_000));
            }
            assertThat(catchThrowable(pending.get(99)::await))
                    .hasMessageContaining("RESOURCE_EXHAUSTED: objects that requests of one peer become:");
            assertThat(pending.get(0).isDone()).isFalse();
            InitTensorPsf.stub(cluster.worker(1))
                    .call(Collections.nCopies(500, w), 0)
                    .await();
            pending.forEach(Pending::cancel);
            assertThat(Tensors.pull(worker, w)).hasSize(1000);
        }
    }

    @Test
    void errorsOfManySlicesNameThreeAndCountTheRest() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            TensorId w = Tensors.init(
                    cluster.worker(), TensorSpec.dense("w", 1000, 2).slices(500));
            FaultyPsf.Stub faulty = FaultyPsf.stub(cluster.worker());
            assertThat(catchThrowable(
                            () -> faulty.call(w, Faulty.Fault.EXCEPTION).await()))
                    .hasMessageMatching(".*; also slice .*; slice .*; and \\d+ more")
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(3));
            assertThat(catchThrowable(() -> faulty.withDeadline(Duration.ofMillis(300))
                            .call(w, Faulty.Fault.NEVER)
                            .await()))
                    .hasMessageStartingWith("TIMED_OUT")
                    .satisfies(
                            e -> { // the server may have answered for some slices, or for all
                                assertThat(e.getMessage()).hasSizeLessThan(2000);
                                assertThat(e.getSuppressed()).hasSizeLessThanOrEqualTo(3);
                            });
        }
    }

    /**
     * For a while no thread of the server can allocate, neither the one that reads nor a lane. Afterwards it serves on,
     * and each push has counted once; or it has ended with its sentence.
     */
    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = TransportConfig.Kind.class,
            names = {"SHM", "TCP", "NETTY"})
    void aServerWhoseHeapWasFullServesOnOrEndsWithItsSentence(TransportConfig.Kind kind) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .workers(2)
                .environment(Map.of("PSF_TRANSPORT", kind.name().toLowerCase(Locale.ROOT), "PSF_HEARTBEAT_LIMIT", "3s"))
                .nodeFlags(List.of("-Xmx48m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=48m"))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .endOnFailure(false)
                .start()) {
            CompletableFuture<Worker> joining = CompletableFuture.supplyAsync(() -> Worker.connect(config(job, kind)));
            Worker worker = Worker.connect(config(job, kind));
            Worker other = joining.get(60, TimeUnit.SECONDS);
            Process server = job.process("server 0");
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000).slices(1));
            List<PsException> refused = new ArrayList<>();
            int pushes = 0;
            long longest = 0;
            for (int round = 0; round < 4 && server.isAlive(); round++) {
                CompletableFuture<?> filled =
                        FillHeapPsf.stub(other).call(400).toCompletableFuture().exceptionally(e -> null);
                long begin = System.nanoTime();
                do {
                    pushes += pushed(worker, w, refused);
                    longest = Math.max(longest, System.nanoTime() - begin);
                    begin = System.nanoTime();
                } while (!filled.isDone() && server.isAlive());
                if (server.isAlive()) {
                    int served = pushed(worker, w, refused);
                    longest = Math.max(longest, System.nanoTime() - begin);
                    assertThat(served == 1 || server.waitFor(10, TimeUnit.SECONDS))
                            .as("served again, or ended; refused: %s; %s", refused, lines)
                            .isTrue();
                    pushes += served;
                }
            }
            System.out.printf(
                    "%s: %d pushes, the longest of %d ms; %s%n",
                    kind, pushes, longest / 1_000_000, server.isAlive() ? "served on" : "ended");
            assertThat(longest)
                    .as("of a push; refused: %s; %s", refused, lines)
                    .isLessThan(TimeUnit.SECONDS.toNanos(15));
            if (server.isAlive()) {
                assertThat(Tensors.pull(worker, w)).as("pushes").containsOnly(pushes);
                other.close();
                worker.close();
                return;
            }
            assertThat(lines)
                    .anyMatch(line -> line.contains("is full (expected: less data, or a larger heap")
                            || line.matches("server 0: psf: .*java.lang.OutOfMemoryError: Java heap space.*"));
        }
    }

    /** Pushes ones. Returns 1 if the push has run, and 0 if the server has refused it or is lost. */
    private static int pushed(Worker worker, TensorId w, List<PsException> refused) {
        try {
            Tensors.push(worker, w, ones(1000)).await();
            return 1;
        } catch (PsException e) {
            refused.add(e);
            return 0;
        }
    }

    @Test
    void aServerWhoseHeapIsFullEndsWithOneSentence() {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "2s"))
                .nodeFlags(List.of("-Xmx12m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=48m"))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .endOnFailure(false)
                .start()) {
            Worker worker = Worker.connect(config(job, TransportConfig.Kind.AUTO));
            CompletableFuture<TensorId> init = CompletableFuture.supplyAsync(
                    () -> Tensors.init(worker, TensorSpec.dense("w", 1 << 15, 4).slices(1 << 15)));
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> !job.process("server 0").isAlive());
            assertThat(job.process("server 0").exitValue()).isEqualTo(3);
            assertThat(catchThrowable(worker::close)).isInstanceOf(PsException.class);
            assertThat(init).failsWithin(Duration.ofSeconds(60));
        }
        assertThat(lines.stream().filter(line -> line.contains("its heap of 11 MB is full")))
                .as(String.join("\n", lines))
                .hasSize(1);
    }
}
