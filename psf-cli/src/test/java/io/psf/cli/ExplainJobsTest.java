package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.api.spi.NodeReport;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Ssp;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.cli.Finding.Cause;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code psf explain} says of real jobs: those that are slow for a known reason, and one that is not. */
@Timeout(120)
class ExplainJobsTest {
    /** The least time that a job is watched. */
    private static final long WATCHED = TimeUnit.MILLISECONDS.toNanos(900);

    private static final long MOST_WATCHED = 20 * WATCHED;

    /** A step of a worker, which repeats it. */
    @FunctionalInterface
    private interface Step {
        void run();
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** A job of two workers that repeat their steps until it is closed. */
    private static final class Job implements AutoCloseable {
        private final PsCluster cluster;
        private final List<CompletableFuture<Void>> running = new ArrayList<>();
        private volatile boolean stopped;

        Job(PsCluster.Builder builder, Function<Worker, Step> steps) {
            cluster = builder.workers(2).start();
            for (Worker worker : cluster.workers()) {
                running.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                Step step = steps.apply(worker);
                                while (!stopped) {
                                    step.run();
                                }
                            } catch (PsException e) {
                                if (!stopped) {
                                    throw e;
                                }
                            }
                        },
                        work -> new Thread(work, "worker").start()));
            }
        }

        private JobSample watch() {
            WorkerConfig config =
                    WorkerConfig.of("127.0.0.1", cluster.scheduler().port());
            JobSample before = ExplainCommand.visit(config);
            while (true) {
                running.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
                pause(100);
                JobSample now = ExplainCommand.visit(config);
                if (now.workers().size() == 2
                        && now.workers().values().stream().allMatch(each -> each.nanos() > WATCHED)) {
                    return now.since(before);
                }
            }
        }

        Finding explain() {
            JobSample sample = watch();
            Finding first = Explanation.of(sample).get(0);
            assertThat(ExplainedJob.of(sample).lines()).allMatch(line -> line.length() <= Table.TERMINAL);
            return first;
        }

        @Override
        public void close() {
            stopped = true;
            cluster.close();
            for (CompletableFuture<Void> each : running) {
                each.exceptionally(failure -> null).join();
            }
        }
    }

    private static PsCluster.Builder servers(int count) {
        return PsCluster.builder().servers(count).tcp();
    }

    /** Servers whose handlers of a tensor take some milliseconds. */
    private static PsCluster.Builder slowHandlers(long millis) {
        return servers(2).interceptors((call, next) -> {
            if (call.tensor() != null) {
                pause(millis);
            }
            return next.get();
        });
    }

    private static TensorId dense(Worker worker, String name, int rows, Function<TensorSpec, TensorSpec> with) {
        return Tensors.init(worker, with.apply(TensorSpec.dense(name, rows)));
    }

    private static Step pulls(Worker worker, int rows, Function<TensorSpec, TensorSpec> with) {
        TensorId w = dense(worker, "w", rows, with);
        float[] values = new float[rows];
        return () -> Tensors.pull(worker, w, values).await();
    }

    @Test
    void aWorkerThatTheBarrierWaitsFor() {
        try (Job job = new Job(servers(1), worker -> () -> {
            pause(worker.rank() == 1 ? 40 : 1);
            worker.barrier();
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.STRAGGLER);
            assertThat(first.says()).contains("wait for worker 1").contains("psf.barrier");
            assertThat(first.change()).contains("Ssp.join");
        }
    }

    @Test
    void aWorkerThatRoundsWaitFor() {
        try (Job job = new Job(servers(1), worker -> {
            TensorId w = dense(worker, "w", 8, spec -> spec.updates(Updates.SUM));
            return () -> {
                pause(worker.rank() == 1 ? 40 : 1);
                Tensors.push(worker, w, new float[8]).await();
            };
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.STRAGGLER);
            assertThat(first.says()).contains("wait for worker 1").contains("psf.dense.push");
            assertThat(first.change()).contains("TensorSpec.quorum");
        }
    }

    @Test
    void aWorkerThatIsTheSlowestOfAGroup() {
        try (Job job = new Job(servers(1), worker -> {
            Ssp ssp = Ssp.join(worker, 1, 2);
            return () -> {
                pause(worker.rank() == 0 ? 40 : 1);
                ssp.tick();
            };
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.STRAGGLER);
            assertThat(first.says()).contains("wait for worker 0").contains("psf.ssp.sync");
            assertThat(first.change()).contains("a higher staleness");
        }
    }

    @Test
    void checkpointsOnASlowDisk(@TempDir Path folder) {
        CheckpointStore place = new FolderStore(folder);
        CheckpointStore slow = (CheckpointStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CheckpointStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("create")) {
                        pause(100);
                    }
                    try {
                        return method.invoke(place, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (Job job = new Job(servers(1).checkpoints(slow), worker -> {
            TensorId w = dense(worker, "w", 8, spec -> spec);
            long[] step = {0};
            return () -> {
                Tensors.push(worker, w, new float[8]).await();
                ModelCheckpoints.at(worker, "model").save(++step[0], Map.of());
            };
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.DISK);
            assertThat(first.says()).contains("psf.model.");
            assertThat(first.change()).contains("ModelCheckpoints.incremental");
        }
    }

    @Test
    void aTensorOfOneSlice() {
        try (Job job = new Job(slowHandlers(5), worker -> pulls(worker, 8, spec -> spec.slices(1)))) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.ONE_LANE);
            assertThat(first.says())
                    .contains("psf.dense.pull")
                    .contains("One lane runs the handlers of slice 0 of tensor \"w\"");
            assertThat(first.change()).contains("TensorSpec.slices");
        }
    }

    @Test
    void aKeyThatAllWorkersPull() {
        try (Job job = new Job(slowHandlers(5), worker -> {
            TensorId table =
                    Tensors.init(worker, TensorSpec.table("table", 1000, 4).slices(4));
            long[] keys = {worker.rank()};
            return () -> Tensors.pullRows(worker, table, keys, new float[4]).await();
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.HOT_KEYS);
            assertThat(first.says())
                    .contains("slice 0 of tensor \"table\"")
                    .contains("a few keys have most of the work");
            assertThat(first.change()).contains("EmbeddingCache");
        }
    }

    @Test
    void serversThatAreAllBusy() {
        try (Job job = new Job(slowHandlers(5), worker -> pulls(worker, 8, spec -> spec))) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.ALL_SERVERS);
            assertThat(first.change()).contains("PSF_LANES");
        }
    }

    @Test
    void aNetworkThatCarriesFewBytes() {
        try (Job job = new Job(
                servers(2).aroundWorkers(transport -> new SlowNetwork(transport, 0, 20e6)),
                worker -> pulls(worker, 250_000, spec -> spec))) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.NETWORK_BYTES);
            assertThat(first.change()).contains("TensorSpec.wire");
        }
    }

    @Test
    void aServerWithLittleMemoryForRequests() {
        try (Job job = new Job(servers(1).memory(1 << 20), worker -> {
            TensorId w = dense(worker, "w", 100_000, spec -> spec);
            float[] update = new float[100_000];
            return () -> Stream.generate(() -> Tensors.push(worker, w, update))
                    .limit(8)
                    .toList()
                    .forEach(Pending::await);
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).as(first.says()).isEqualTo(Cause.MEMORY);
            assertThat(first.says()).contains("psf.dense.push").contains("server 0 left requests unread for");
            assertThat(first.change()).contains("PSF_MEMORY");
        }
    }

    @Test
    void manySmallCallsOverAFarNetwork() {
        try (Job job = new Job(
                servers(2).aroundWorkers(transport -> new SlowNetwork(transport, 3, 1e9)),
                worker -> pulls(worker, 8, spec -> spec))) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.NETWORK_CALLS);
            assertThat(first.change()).contains("several calls under way");
        }
    }

    @Test
    void workersThatWaitForTheirInput() {
        try (Job job = new Job(servers(2), worker -> {
            Step pull = pulls(worker, 8, spec -> spec);
            return () -> {
                pause(30);
                pull.run();
            };
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.OUTSIDE);
            assertThat(first.says()).contains("outside of psf");
        }
    }

    /** The worker is a process of its own, with a small heap. */
    @Test
    @Tag("long")
    void aWorkerWithAHeapThatIsTooSmall() throws IOException {
        try (PsCluster cluster = servers(1).workers(1).moreWorkers().asService().start()) {
            cluster.worker().close();
            int port = cluster.scheduler().port();
            Process worker = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-Xmn4m",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            FullHeapMain.class.getName(),
                            String.valueOf(port))
                    .inheritIO()
                    .start();
            try {
                WorkerConfig config = WorkerConfig.of("127.0.0.1", port);
                Finding first;
                long nanos;
                do { // at first, the creation of the tensor takes most of the time
                    assertThat(worker.isAlive()).as("the worker runs").isTrue();
                    pause(100);
                    JobSample sample = ExplainCommand.visit(config);
                    nanos = sample.workers().values().stream()
                            .mapToLong(NodeReport::nanos)
                            .max()
                            .orElse(0);
                    first = Explanation.of(sample).get(0);
                } while (nanos < WATCHED || first.cause() != Cause.HEAP && nanos < MOST_WATCHED);
                assertThat(first.cause()).as(first.says()).isEqualTo(Cause.HEAP);
                assertThat(first.says()).contains("The heap of worker");
                assertThat(first.change()).contains("a larger -Xmx of the worker");
            } finally {
                worker.destroyForcibly();
            }
        }
    }

    @Test
    void aServerThatIsAbsent(@TempDir Path folder) throws InterruptedException {
        CountDownLatch saved = new CountDownLatch(2);
        try (Job job = new Job(servers(2).checkpoints(folder).serverReturn(Duration.ofMinutes(1)), worker -> {
            Step pull = pulls(worker, 8, spec -> spec);
            ModelCheckpoints.at(worker, "model").save(1, Map.of());
            saved.countDown();
            return pull;
        })) {
            saved.await();
            job.cluster.servers().get(1).close();
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.ABSENT_NODE);
            assertThat(first.says()).contains("server 1 is lost");
            assertThat(first.change()).contains("start the server again");
            var unused = job.cluster.restart(1); // else the workers wait for it when they leave
        }
    }

    /** The work is time of a processor: on a busy machine it takes as much longer as the calls do. */
    @Test
    void aJobThatIsNotSlow() {
        ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        try (Job job = new Job(servers(2), worker -> {
            Step pull = pulls(worker, 8, spec -> spec);
            return () -> {
                long until = cpu.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(200);
                while (cpu.getCurrentThreadCpuTime() < until) {
                    Thread.onSpinWait();
                }
                pull.run();
            };
        })) {
            Finding first = job.explain();
            assertThat(first.cause()).isEqualTo(Cause.NONE);
            assertThat(first.says()).contains("Nothing in psf slows this job down");
        }
    }
}
