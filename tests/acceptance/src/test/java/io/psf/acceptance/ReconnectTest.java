package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to the scheduler that are cut: nodes connect again, and nothing is lost or done twice. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // by start
final class ReconnectTest {
    private static final TransportConfig TCP = TransportConfig.usual().withKind(TransportConfig.Kind.TCP);
    private static final Duration SOON = Duration.ofSeconds(20);

    private Scheduler scheduler;
    private Proxy proxy;
    private Server server;
    private Worker one;
    private Worker two;

    private void start(Duration heartbeatLimit, int cutAnswers) throws Exception {
        start(SchedulerConfig.of(1, 2).withHeartbeatLimit(heartbeatLimit), cutAnswers);
    }

    private void start(SchedulerConfig config, int cutAnswers) throws Exception {
        scheduler = Scheduler.start(config);
        proxy = new Proxy(scheduler.port());
        proxy.cutAnswers(cutAnswers);
        CompletableFuture<Server> starting = CompletableFuture.supplyAsync(
                () -> Server.start(ServerConfig.of("127.0.0.1", proxy.port()).withTransport(TCP)));
        CompletableFuture<Worker> connecting = CompletableFuture.supplyAsync(() -> connect(0));
        two = connect(1);
        one = connecting.get();
        server = starting.get();
    }

    private Worker connect(int rank) {
        return Worker.connect(WorkerConfig.of("127.0.0.1", proxy.port())
                .withRank(rank)
                .withDeadline(SOON)
                .withTransport(TCP));
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        scheduler.close();
        proxy.close();
    }

    /** Every node's connection, several times: the job goes on, and ends well. */
    @Test
    void nodesConnectAgainAndTheJobGoesOn() throws Exception {
        start(Duration.ofSeconds(10), 0);
        TensorId w = Tensors.init(one, TensorSpec.dense("w", 10));
        for (int round = 1; round <= 3; round++) {
            int before = proxy.connections();
            proxy.cut();
            Tensors.push(one, w, new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}).await();
            Tensors.init(two, TensorSpec.dense("of round " + round, 4)); // asks the scheduler
            CompletableFuture<Void> other = CompletableFuture.runAsync(two::barrier);
            one.barrier();
            other.get();
            assertThat(Tensors.pull(two, w)).containsOnly(round);
            await().atMost(SOON).until(() -> proxy.connections() >= before + 3);
        }
        CompletableFuture<Void> closing = CompletableFuture.runAsync(one::close);
        two.close();
        closing.get();
        server.awaitTermination();
        scheduler.awaitTermination(); // or a node was lost
    }

    @Test
    void aBarrierThatIsUnderWayIsPassedOnce() throws Exception {
        start(Duration.ofSeconds(10), 0);
        for (int round = 0; round < 2; round++) {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(one::barrier);
            int before = proxy.connections();
            proxy.cut();
            await().atMost(SOON).until(() -> proxy.connections() >= before + 3);
            assertThat(waiting).isNotDone();
            two.barrier();
            waiting.get();
            assertThatThrownBy(() -> two.barrier(Duration.ofMillis(100)))
                    .as("none is left over")
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(Code.TIMED_OUT));
            Tensors.init(two, TensorSpec.dense("w" + round, 4)); // when the scheduler knows that the call was given up
        }
        one.close();
        two.close();
    }

    /** The scheduler has answered, and each node's answer is cut twice. */
    @Test
    void aJoinThatIsCutIsTriedAgain() throws Exception {
        start(Duration.ofSeconds(10), 6);
        assertThat(one.rank()).isZero();
        assertThat(two.rank()).isEqualTo(1);
        TensorId w = Tensors.init(one, TensorSpec.dense("w", 4));
        assertThat(Tensors.pull(two, w)).containsOnly(0f);
        one.close();
        two.close();
        server.awaitTermination();
        scheduler.awaitTermination();
    }

    /** As a worker that was suspended for too long: the scheduler is well, and has gone on without it. */
    @Test
    void aWorkerThatWasCountedAsLostIsToldSo() throws Exception {
        Duration limit = Duration.ofSeconds(2);
        start(SchedulerConfig.of(1, 2).withHeartbeatLimit(limit).withSchedulerReturn(Duration.ofMinutes(1)), 0);
        TensorId rounds = Tensors.init(one, TensorSpec.dense("w", 2).updates(Updates.SUM));
        Pending<?> waits = Tensors.push(one, rounds, new float[2]); // for the other worker
        proxy.refuse(true);
        assertThatThrownBy(scheduler::awaitTermination).hasMessageContaining("lost worker ");
        proxy.refuse(false);
        assertThatThrownBy(waits::await)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("this node: counted as lost by the scheduler")
                .hasMessageNotContaining("lost the scheduler");
        assertThatThrownBy(server::awaitTermination).hasMessageContaining("counted as lost by the scheduler");
        one.close();
        two.close();
    }

    @Test
    void aNodeThatDoesNotComeBackWithinTheLimitIsLost() throws Exception {
        start(Duration.ofSeconds(3), 0);
        proxy.refuse(true);
        await().atMost(SOON)
                .untilAsserted(() -> assertThatThrownBy(() -> one.barrier(Duration.ofMillis(200)))
                        .isInstanceOfSatisfying(
                                PsException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                        .hasMessageContaining("lost the scheduler"));
        assertThatThrownBy(server::awaitTermination).isInstanceOf(PsException.class);
        assertThatThrownBy(scheduler::awaitTermination)
                .hasMessageContaining("lost ")
                .hasMessageContaining("no connection to the scheduler");
        one.close();
        two.close();
    }
}
