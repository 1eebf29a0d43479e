package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.acceptance.Values;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.CountCalls.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that break: nothing is lost, and nothing is done twice. */
@Timeout(300)
final class SessionsTest {
    private final List<Breaking> transports = new CopyOnWriteArrayList<>();

    /** How frames travel. */
    private enum Over {
        MEMORY,
        TCP,
        SHARED_MEMORY
    }

    private PsCluster start(Over over, int servers, int workers, Integer... broken) {
        PsCluster.Builder builder = PsCluster.builder()
                .servers(servers)
                .workers(workers)
                .lanes(2)
                .deadline(Duration.ofSeconds(60))
                .aroundWorkers(inner -> {
                    Breaking breaking = new Breaking(inner).breaking(broken);
                    transports.add(breaking);
                    return breaking;
                });
        return switch (over) {
            case MEMORY -> builder.start();
            case TCP -> builder.tcp().start();
            case SHARED_MEMORY ->
                builder.over(TransportConfig.usual().withKind(TransportConfig.Kind.SHM))
                        .start();
        };
    }

    /** Breaks connections, one every few milliseconds, while something is done. */
    private void whileBreaking(int pauseMillis, Work work) throws Exception {
        whileBreaking(pauseMillis, () -> true, work);
    }

    /** Breaks connections, one every few milliseconds, when some progress has been made since. */
    private void whileBreaking(int pauseMillis, BooleanSupplier progress, Work work) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread breaker = new Thread(() -> {
            while (!stop.get()) {
                if (progress.getAsBoolean()) {
                    transports.forEach(Breaking::breakOne);
                }
                try {
                    Thread.sleep(pauseMillis);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        breaker.start();
        try {
            work.run();
        } finally {
            stop.set(true);
            breaker.join();
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void everyPushIsAppliedOnceWhateverBreaks(Over over) throws Exception {
        int pushes = 500 * Integer.getInteger("psf.laws.times", 1);
        AtomicInteger pushed = new AtomicInteger();
        int length = 5000;
        try (PsCluster cluster = start(over, 2, 2)) {
            TensorId w = Tensors.init(
                    cluster.worker(0), TensorSpec.dense("w", length).slices(3));
            float[] ones = new float[length];
            Arrays.fill(ones, 1f);
            AtomicInteger before = new AtomicInteger();
            whileBreaking(
                    7,
                    () -> pushed.get() - before.get() >= 10 && before.getAndSet(pushed.get()) >= 0,
                    () -> onBoth(cluster, worker -> {
                        List<Pending<?>> pending = new ArrayList<>();
                        for (int i = 0; i < pushes || !haveBroken(10); i++) {
                            pending.add(Tensors.push(worker, w, ones));
                            pushed.incrementAndGet();
                            if (i % 50 == 49) {
                                pending.forEach(Pending::await);
                                pending.clear();
                            }
                        }
                        pending.forEach(Pending::await);
                    }));
            Values.assertOnly(Tensors.pull(cluster.worker(0), w), pushed.get());
        }
    }

    /** Whether every worker has had more connections than that. */
    private boolean haveBroken(int connections) {
        return transports.stream().allMatch(t -> t.connections() > connections);
    }

    /** What is pulled after a push was awaited has it, though a pull may be asked again. */
    @Test
    void aWorkerReadsItsOwnWritesThroughBrokenConnections() throws Exception {
        try (PsCluster cluster = start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 300_000));
            float[] ones = new float[300_000];
            Arrays.fill(ones, 1f);
            whileBreaking(20, () -> {
                for (int i = 1; i <= 100; i++) {
                    var unused = Tensors.push(worker, w, ones);
                    Values.assertOnly(Tensors.pull(worker, w), i);
                }
            });
        }
    }

    @Test
    void largeAnswersOfCallsThatMustNotBeRepeatedComeWholeAndAreForgottenAgain() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        try (PsCluster cluster = start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            int length = 1_000_000;
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", length));
            float[] update = new float[length];
            float[] expected = new float[length];
            whileBreaking(30, () -> {
                for (int round = 0; round < 40; round++) {
                    for (int i = 0; i < length; i++) {
                        update[i] = random.nextInt(100);
                        expected[i] += update[i];
                    }
                    float[] answer = new float[length];
                    Tensors.pushPull(worker, w, update, answer).await();
                    assertThat(answer).isEqualTo(expected);
                }
            });
        }
    }

    /** Functions on nodes, answered later, and told which attempt it is. */
    @Test
    void deferredCallsOnNodesAreRunOnce() throws Exception {
        try (PsCluster cluster = start(Over.TCP, 1, 2)) {
            whileBreaking(
                    5,
                    () -> onBoth(cluster, worker -> {
                        CountCallsPsf.Stub count = CountCallsPsf.stub(worker);
                        for (int i = 0; i < 300; i++) {
                            count.call(1).await();
                        }
                    }));
            Response counted = CountCallsPsf.stub(cluster.worker(0)).call(0).await();
            assertThat(counted.total()).isEqualTo(600);
        }
    }

    /** A barrier is passed by both or by neither, and none is left over. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void barriersAreRunOnceWhateverBreaks(Over over) throws Exception {
        AtomicInteger passed = new AtomicInteger();
        try (PsCluster cluster = start(over, 1, 2)) {
            whileBreaking(
                    5,
                    () -> onBoth(cluster, worker -> {
                        for (int i = 1; i <= 200; i++) {
                            passed.incrementAndGet();
                            worker.barrier();
                            assertThat(passed.get()).isBetween(2 * i, 2 * i + 1);
                            worker.barrier();
                        }
                    }));
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aFirstHelloOrJoinThatIsCutIsTriedAgain(Over over) {
        try (PsCluster cluster = start(over, 2, 1, 0, 2, 3, 5)) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 100));
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(0f);
            assertThat(transports).allMatch(transport -> transport.connections() == 7);
        }
    }

    @Test
    void aServerThatIsGoneIsAnErrorAtOnce() {
        try (PsCluster cluster = start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 100));
            cluster.servers().get(1).close();
            long before = GivenTime.nanos();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            Tensors.push(worker, w, new float[100]).await();
                        }
                    })
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE))
                    .hasMessageContaining("server 1");
            assertThat(Duration.ofNanos(GivenTime.nanos() - before)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    void aChainKeepsItsOrderThroughBrokenConnections() throws Exception {
        try (PsCluster cluster = start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10_000));
            FloatArray ones = FloatArray.allocate(10_000);
            ones.fill(1f);
            whileBreaking(5, () -> {
                for (int i = 1; i <= 1000; i++) {
                    Chain chain = worker.chain();
                    var pushed = DensePushPsf.stub(chain).call(w, ones);
                    var pulled = DensePullPsf.stub(chain).call(w);
                    chain.send();
                    if (i % 2 == 0) {
                        pushed.await();
                    }
                    assertThat(pulled.await().values().toArray()).containsOnly(i);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aDeferredCallInNoOrderIsRunOnce(Over over) throws Exception {
        try (PsCluster cluster = start(over, 2, 1)) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", 10).slices(4));
            Pending<Gate.Response> waiting = GatePsf.stub(cluster.worker()).call(w, false);
            whileBreaking(5, () -> await().forever().until(() -> haveBroken(6)));
            assertThat(waiting.isDone()).isFalse();
            assertThat(GatePsf.stub(cluster.worker()).call(w, true).await().runs())
                    .isEqualTo(2);
            assertThat(waiting.await().runs()).isEqualTo(2);
        }
    }

    /** A handler's call is sent once: it fails with its connection, and the next one connects again. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void aServerConnectsToAnotherAgain(Over over) {
        List<Breaking> ofServers = new CopyOnWriteArrayList<>();
        PsCluster.Builder builder = PsCluster.builder().servers(2).aroundServers(inner -> {
            Breaking breaking = new Breaking(inner);
            ofServers.add(breaking);
            return breaking;
        });
        try (PsCluster cluster = switch (over) {
            case MEMORY -> builder.start();
            case TCP -> builder.tcp().start();
            case SHARED_MEMORY ->
                builder.over(TransportConfig.usual().withKind(TransportConfig.Kind.SHM))
                        .start();
        }) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            GateByServerPsf.Stub gate = GateByServerPsf.stub(cluster.worker());
            assertThat(gate.call(1, w, true).await().runs()).isEqualTo(1);
            Pending<GateByServer.Response> waiting = gate.call(1, w, false);
            await().forever().until(() -> {
                ofServers.forEach(Breaking::breakOne);
                return waiting.isDone();
            });
            assertThatThrownBy(waiting::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE))
                    .hasMessageContaining("in acceptance.gate on tensor \"w\"");
            assertThat(gate.call(1, w, true).await().runs()).isPositive();
        }
    }

    private static void onBoth(PsCluster cluster, java.util.function.Consumer<Worker> work) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (Worker worker : cluster.workers()) {
            Thread thread = new Thread(() -> work.accept(worker));
            thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }
}
