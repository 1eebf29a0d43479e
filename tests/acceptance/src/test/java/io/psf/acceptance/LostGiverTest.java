package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.PendingAll;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cut with reduced weights, of which one worker gives its own: it is killed before it calls the server again. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // by start
final class LostGiverTest {
    private static final TransportConfig TCP = TransportConfig.usual().withKind(TransportConfig.Kind.TCP);
    private static final int N = 100;
    private static final int WORKERS = 3;

    @TempDir
    private Path folder;

    /** The ranks of the workers that were asked for their weights, in this order. */
    private final List<Integer> asked = Collections.synchronizedList(new ArrayList<>());

    private final CountDownLatch isOver = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    /** One before the scheduler for each worker. */
    private final List<Proxy> proxies = new ArrayList<>();

    private final List<Worker> workers = new ArrayList<>();
    private Scheduler scheduler;
    private Server server;

    /** Is told when its worker copies the weights to the servers. At the second cut the worker is dead from then on. */
    private final class Watch implements Weights {
        private final Worker worker;
        private final TensorId tensor;
        private final Proxy toScheduler;

        Watch(Worker worker, TensorId tensor, Proxy toScheduler) {
            this.worker = worker;
            this.tensor = tensor;
            this.toScheduler = toScheduler;
        }

        @Override
        public TensorId tensor() {
            return tensor;
        }

        @Override
        public Pending<?> push(float[] gradient) {
            return new PendingAll(List.of());
        }

        @Override
        public Pending<?> pull(float[] into) {
            return new PendingAll(List.of());
        }

        @Override
        public void endEpoch() {
            // has no steps
        }

        @Override
        public void store() {
            asked.add(worker.rank());
            if (asked.size() == 2) {
                toScheduler.refuse(true);
                try {
                    isOver.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new IllegalStateException("killed");
            }
        }

        @Override
        public void restore() {
            // has no weights
        }
    }

    private static Weights weights(Worker worker) {
        return Weights.reduced(
                worker,
                TensorSpec.dense("weights", N)
                        .slices(2)
                        .optimizer(Optimizers.adam(0.1))
                        .updates(Updates.MEAN));
    }

    /** Pushes the gradient of a step, which is the same for all workers. */
    private static void push(Weights weights, long step) {
        float[] gradient = new float[N];
        Arrays.fill(gradient, (float) (step % 2 == 0 ? step : -3 * step));
        weights.push(gradient).await();
    }

    private static float[] values(Weights weights) {
        float[] values = new float[N];
        weights.pull(values).await();
        return values;
    }

    private float[] train(Worker worker, Proxy toScheduler, boolean hasGiven) {
        Weights weights = weights(worker);
        Watch watch = new Watch(worker, weights.tensor(), toScheduler);
        var unused = ModelCheckpoints.at(worker, "m")
                .weights(hasGiven ? weights : watch, hasGiven ? watch : weights)
                .everySteps(3)
                .run(6, step -> push(weights, step));
        return values(weights);
    }

    @BeforeEach
    void start() throws Exception {
        scheduler = Scheduler.start(SchedulerConfig.of(1, WORKERS));
        CompletableFuture<Server> starting = begun(() -> Server.start(ServerConfig.of("127.0.0.1", scheduler.port())
                .withTransport(TCP)
                .withCheckpoints(folder)));
        List<CompletableFuture<Worker>> joining = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            Proxy proxy = new Proxy(scheduler.port());
            proxies.add(proxy);
            joining.add(begun(() -> Worker.connect(WorkerConfig.of("127.0.0.1", proxy.port())
                    .withReconnectLimit(Duration.ofMillis(500))
                    .withTransport(TCP))));
        }
        for (CompletableFuture<Worker> each : joining) {
            workers.add(each.get());
        }
        server = starting.get();
    }

    @AfterEach
    void stop() throws Exception {
        isOver.countDown();
        proxies.forEach(proxy -> proxy.refuse(false));
        for (Worker each : workers) {
            try {
                each.close();
            } catch (PsException e) {
                assertThat(each.rank()).as(e.getMessage()).isZero(); // which learns that it is lost
            }
        }
        server.close();
        scheduler.close();
        for (Proxy each : proxies) {
            each.close();
        }
        threads.shutdownNow();
    }

    private <T> CompletableFuture<T> begun(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, threads);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherWorkerIsAskedAndTheCheckpointIsWhole(boolean hasGiven) throws Exception {
        List<CompletableFuture<float[]>> others = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            Worker worker = workers.get(i);
            Proxy proxy = proxies.get(i);
            CompletableFuture<float[]> trained = begun(() -> train(worker, proxy, hasGiven));
            if (worker.rank() > 0) {
                others.add(trained);
            }
        }
        float[] values = others.get(0).get();
        assertThat(others.get(1).get()).isEqualTo(values);
        assertThat(asked).containsExactly(0, 0, 1, 1);
        assertThat(continued()).isEqualTo(values);
    }

    /** Returns the weights of a job that goes on from the checkpoint of the cut, which has values and states. */
    private float[] continued() {
        assertThat(Model.open(folder, "m", 3).tensor(TensorId.of("weights")).slots())
                .containsKeys("adam.m", "adam.v");
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(1).checkpoints(folder).start()) {
            Weights weights = weights(cluster.worker());
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(cluster.worker(), "m").weights(weights);
            var unused = checkpoints.load(3);
            for (long step = 4; step <= 6; step++) {
                push(weights, step);
            }
            return values(weights);
        }
    }
}
