package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.Challenge;
import io.psf.runtime.internal.cluster.ChallengePsf;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinPsf;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scheduler takes the place of one that has ended, and goes on from its journal. */
@Timeout(120)
class SchedulerRestartTest {
    private static final TensorSpec DENSE =
            TensorSpec.dense("w", 1000).optimizer(Optimizers.add()).slices(3);

    @TempDir
    Path journal;

    private SchedulerConfig config = SchedulerConfig.of(1, 1);
    private @Nullable Scheduler scheduler;
    private final List<AutoCloseable> nodes = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable node : nodes) {
            node.close();
        }
        end();
    }

    /** Ends the scheduler as a kill does: no node is told. */
    private void end() {
        if (scheduler != null) {
            scheduler.close();
        }
    }

    private void begin(SchedulerConfig with) {
        config = with.withJournal(journal).listen("127.0.0.1", FixedPort.free());
        scheduler = Scheduler.start(config);
    }

    private void restart() {
        end();
        scheduler = Scheduler.start(config);
    }

    private static <T> CompletableFuture<T> starting(Supplier<T> node) {
        return CompletableFuture.supplyAsync(node);
    }

    private Server server() {
        return Server.start(ServerConfig.of("127.0.0.1", config.port()));
    }

    private Worker worker() {
        return Worker.connect(WorkerConfig.of("127.0.0.1", config.port()));
    }

    private <T extends AutoCloseable> T kept(T node) {
        nodes.add(0, node);
        return node;
    }

    /** Forms the cluster. Returns its workers. */
    private List<Worker> form(int servers, int workers) {
        List<CompletableFuture<Server>> begun = new ArrayList<>();
        List<CompletableFuture<Worker>> joining = new ArrayList<>();
        for (int i = 0; i < servers; i++) {
            begun.add(starting(this::server));
        }
        for (int i = 0; i < workers; i++) {
            joining.add(starting(this::worker));
        }
        begun.forEach(each -> kept(each.join()));
        return joining.stream().map(each -> kept(each.join())).toList();
    }

    private static float[] ones(int length) {
        float[] ones = new float[length];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** No barrier opens too early or twice, no push is lost or doubled, and calls to servers do not wait. */
    @Test
    void aJobGoesOnHoweverOftenItsSchedulerIsStartedAgain() {
        begin(SchedulerConfig.of(2, 3).withHeartbeatLimit(Duration.ofMinutes(1))); // no limit is under test
        List<Worker> workers = form(2, 3);
        TensorId w = Tensors.init(workers.get(0), DENSE);
        Client client = kept(Client.connect(WorkerConfig.of("127.0.0.1", config.port())));
        int rounds = 400;
        AtomicInteger latest = new AtomicInteger();
        AtomicIntegerArray arrived = new AtomicIntegerArray(rounds);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong longest = new AtomicLong();
        List<CompletableFuture<Void>> training = new ArrayList<>();
        for (Worker worker : workers) {
            training.add(CompletableFuture.runAsync(() -> {
                for (int round = 0; round < rounds; round++) {
                    Tensors.push(worker, w, ones(1000)).await();
                    arrived.incrementAndGet(round);
                    latest.accumulateAndGet(round, Math::max);
                    worker.barrier();
                    assertThat(arrived.get(round))
                            .as("workers at barrier %d", round)
                            .isEqualTo(3);
                }
            }));
        }
        CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                long before = System.nanoTime();
                var unused = Tensors.pull(client, w);
                longest.accumulateAndGet(System.nanoTime() - before, Math::max);
            }
        });
        int restarts = 0;
        for (int next = 20; next < rounds && !isAnyOver(training); next += 20) {
            int round = next;
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> latest.get() >= round || isAnyOver(training));
            restart();
            restarts++;
        }
        training.forEach(CompletableFuture::join);
        isOver.set(true);
        reading.join();
        assertThat(restarts).isEqualTo(19);
        assertThat(Tensors.pull(client, w)).containsOnly(3 * rounds);
        System.out.printf(
                "%d restarts of a scheduler: the longest call of a client to a server took %d ms%n",
                restarts, longest.get() / 1_000_000);
    }

    private static boolean isAnyOver(List<CompletableFuture<Void>> running) {
        return running.stream().anyMatch(CompletableFuture::isDone);
    }

    @Test
    void tensorsAndMembersAreThoseOfBefore() {
        begin(SchedulerConfig.of(2, 2).withMoreWorkers());
        List<Worker> workers = form(2, 2);
        Worker first = workers.get(0);
        Tensors.init(first, DENSE);
        Tensors.push(first, TensorId.of("w"), ones(1000)).await();
        restart();
        Tensors.init(workers.get(1), DENSE);
        assertThatThrownBy(() -> Tensors.init(first, TensorSpec.dense("w", 10))).hasMessageContaining("ALREADY_EXISTS");
        assertThat(Tensors.pull(first, TensorId.of("w"))).containsOnly(1);
        TensorId later = Tensors.init(first, TensorSpec.dense("later", 7).optimizer(Optimizers.add()));
        Worker third = kept(worker());
        assertThat(third.rank()).isEqualTo(2);
        Tensors.push(third, later, ones(7)).await();
        assertThat(Tensors.pull(first, later)).containsOnly(1);
        Client client = kept(Client.connect(WorkerConfig.of("127.0.0.1", config.port())));
        assertThat(client.members()).hasSize(5);
        List<CompletableFuture<Void>> barrier = new ArrayList<>();
        for (Worker each : List.of(first, workers.get(1), third)) {
            barrier.add(CompletableFuture.runAsync(each::barrier));
        }
        barrier.forEach(CompletableFuture::join);
    }

    @Test
    void aJobWhoseSchedulerWasStartedAgainEndsAndLeavesNoJournal() throws Exception {
        begin(SchedulerConfig.of(1, 1));
        List<Worker> workers = form(1, 1);
        restart();
        workers.get(0).barrier();
        assertThat(journal.resolve("scheduler.journal")).exists();
        stop();
        nodes.clear();
        scheduler = Scheduler.start(config); // a new job, of other nodes
        Worker next = form(1, 1).get(0);
        assertThat(next.members()).hasSize(2);
    }

    @Test
    void anEndIsToldByTheNextScheduler() {
        Path file = journal.resolve("scheduler.journal");
        Worker worker;
        do { // until the first scheduler has not told all nodes yet
            begin(SchedulerConfig.of(1, 1).asService().withHeartbeatLimit(Duration.ofSeconds(2)));
            kept(server());
            worker = kept(worker());
            worker.end();
            end();
        } while (!Files.exists(file));
        scheduler = Scheduler.start(config);
        scheduler.awaitTermination();
        assertThat(file).doesNotExist();
        Worker ended = worker;
        assertThatThrownBy(() -> Tensors.init(ended, DENSE)).isInstanceOf(PsException.class);
    }

    /** It is silent at the next scheduler as well. */
    @Test
    void aNodeThatIsGoneWhenTheNextSchedulerStartsIsLost() throws Exception {
        begin(SchedulerConfig.of(1, 2).withHeartbeatLimit(Duration.ofSeconds(2)));
        FramePool pool = new FramePool(1 << 20);
        Worker worker;
        try (Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual())) {
            CompletableFuture<Join.Response> gone =
                    starting(() -> join(new CallClient(pool), transport, Join.Request.of(Role.WORKER, 1, "", 0)));
            worker = form(1, 1).get(0);
            gone.join();
            restart();
        }
        CompletableFuture<Void> barrier = CompletableFuture.runAsync(worker::barrier);
        await().forever().until(() -> worker.lost().size() == 1);
        barrier.get();
    }

    /** As SIGTERM does before a supervisor starts it elsewhere. */
    @Test
    void aSchedulerThatIsToldToEndLeavesItsClusterToTheNext() {
        begin(SchedulerConfig.of(2, 1));
        Worker worker = form(2, 1).get(0);
        TensorId w = Tensors.init(worker, DENSE);
        Tensors.push(worker, w, ones(1000)).await();
        Scheduler moved = Objects.requireNonNull(scheduler);
        CompletableFuture<Void> ended = CompletableFuture.runAsync(moved::awaitTermination);
        moved.handOver();
        ended.join();
        assertThat(moved.health(Duration.ofMinutes(1)).isReady()).isFalse();
        restart();
        worker.barrier();
        assertThat(Tensors.pull(worker, w)).containsOnly(1);
    }

    @Test
    void aSchedulerWithoutAJournalThatIsToldToEndEndsItsCluster() {
        config = SchedulerConfig.of(1, 1).listen("127.0.0.1", FixedPort.free());
        scheduler = Scheduler.start(config);
        Worker worker = form(1, 1).get(0);
        scheduler.handOver();
        await().forever()
                .untilAsserted(() -> assertThatThrownBy(() -> Tensors.init(worker, DENSE))
                        .hasMessageContaining("CLOSED: the cluster has ended"));
    }

    /** A server whose place another one may have by then reads no requests until the scheduler is back. */
    @Test
    void theNodesLookForTheSchedulerForLongerThanTheLimitOfTheHeartbeat() {
        begin(SchedulerConfig.of(1, 1)
                .withHeartbeatLimit(Duration.ofSeconds(2))
                .withServerReturn(Duration.ofMinutes(1))
                .withSchedulerReturn(Duration.ofMinutes(1)));
        Worker worker = form(1, 1).get(0);
        TensorId w = Tensors.init(worker, DENSE);
        end();
        int pushes = 1;
        Pending<?> last = Tensors.push(worker, w, ones(1000));
        while (isAnswered(last)) {
            last = Tensors.push(worker, w, ones(1000));
            pushes++;
        }
        scheduler = Scheduler.start(config);
        last.await();
        worker.barrier();
        assertThat(Tensors.pull(worker, w)).containsOnly(pushes);
    }

    private static boolean isAnswered(Pending<?> call) {
        try {
            var unused = call.toCompletableFuture().get(1, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClusterThatIsGoneIsFollowedByANewOne() throws Exception {
        begin(SchedulerConfig.of(1, 1).withHeartbeatLimit(Duration.ofSeconds(2)));
        Worker before = form(1, 1).get(0);
        Tensors.init(before, DENSE);
        end();
        stop();
        nodes.clear();
        scheduler = Scheduler.start(config);
        Worker next = form(1, 1).get(0);
        TensorId other = Tensors.init(next, TensorSpec.dense("w", 5).optimizer(Optimizers.add()));
        Tensors.push(next, other, ones(5)).await();
        assertThat(Tensors.pull(next, other)).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void nodesThatKnowMoreThanAnOldJournalDoNotGoOnWithIt() throws IOException {
        begin(SchedulerConfig.of(1, 1).withHeartbeatLimit(Duration.ofSeconds(2)));
        Worker worker = form(1, 1).get(0);
        Path file = journal.resolve("scheduler.journal");
        byte[] old = Files.readAllBytes(file);
        Tensors.init(worker, DENSE);
        end();
        Files.write(file, old);
        scheduler = Scheduler.start(config);
        assertThatThrownBy(Objects.requireNonNull(scheduler)::awaitTermination)
                .hasMessageContaining("the scheduler was started again from an old journal");
        assertThatThrownBy(() -> Tensors.pull(worker, TensorId.of("w"))).isInstanceOf(PsException.class);
    }

    /** The answer to its join was written down, and lost. */
    @Test
    void aNodeThatJoinsAgainHasThePlaceThatItWasGiven() {
        begin(SchedulerConfig.of(1, 2));
        FramePool pool = new FramePool(1 << 20);
        CallClient calls = new CallClient(pool);
        Join.Request request = Join.Request.of(Role.WORKER, -1, "", 0);
        try (Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual())) {
            CompletableFuture<Join.Response> joining = starting(() -> join(calls, transport, request));
            form(1, 1);
            Join.Response first = joining.join();
            restart();
            Join.Response again = join(calls, transport, request);
            assertThat(again.admission()).isEqualTo(first.admission());
            assertThat(again.keys().ticket()).isEqualTo(first.keys().ticket());
            assertThatThrownBy(() -> join(calls, transport, Join.Request.of(Role.WORKER, 1, "", 0)))
                    .hasMessageContaining("another worker: the cluster has all of its");
        }
    }

    private Join.Response join(CallClient calls, Transport transport, Join.Request request) {
        Peer peer = calls.connect(transport, "127.0.0.1", config.port(), "scheduler");
        long limit = TimeUnit.SECONDS.toNanos(20);
        var unused = calls.callNodes(ChallengePsf.FUNCTION, new Challenge.Request(), List.of(peer), limit)
                .await();
        return calls.callNodes(JoinPsf.FUNCTION, request, List.of(peer), limit).await();
    }
}
