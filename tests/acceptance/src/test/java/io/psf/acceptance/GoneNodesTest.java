package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a node whose connections are closed counts as lost, and how long workers look for a lost server. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // by start
final class GoneNodesTest {
    private static final TransportConfig TCP = TransportConfig.usual().withKind(TransportConfig.Kind.TCP);
    private static final float[] ONES = {1, 1, 1, 1};

    @TempDir
    private Path folder;

    private Scheduler scheduler;
    /** Before the scheduler, for the node that is lost. */
    private Proxy toScheduler;
    /** Before the server. */
    private Proxy toServer;

    private Server server;
    /** The second server; null for none. */
    private @Nullable Server other;

    private Worker worker;
    private TensorId w;

    /** Starts a cluster with a checkpoint, whose server can be cut off from the scheduler and from its worker. */
    private void start(SchedulerConfig config) throws Exception {
        scheduler = Scheduler.start(config);
        toScheduler = new Proxy(scheduler.port());
        int port = FixedPort.free();
        toServer = new Proxy(port);
        CompletableFuture<Server> starting = CompletableFuture.supplyAsync(() -> Server.start(
                server(toScheduler.port()).listen("127.0.0.1", port).advertise("127.0.0.1", toServer.port())));
        CompletableFuture<Server> startingOther = config.servers() == 1
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.supplyAsync(() -> Server.start(server(scheduler.port())));
        worker = connect(scheduler.port());
        server = starting.get();
        other = startingOther.get();
        w = Tensors.init(worker, TensorSpec.dense("w", 4).optimizer(Optimizers.add()));
        Tensors.push(worker, w, ONES).await();
        ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
    }

    private ServerConfig server(int scheduler) {
        return ServerConfig.of("127.0.0.1", scheduler).withTransport(TCP).withCheckpoints(folder);
    }

    private static Worker connect(int scheduler) {
        return Worker.connect(WorkerConfig.of("127.0.0.1", scheduler)
                .withReconnectLimit(Duration.ofMillis(500))
                .withTransport(TCP));
    }

    @AfterEach
    void stop() throws Exception {
        worker.close();
        server.close();
        if (other != null) {
            other.close();
        }
        scheduler.close();
        toScheduler.close();
        toServer.close();
    }

    /** As the system closes the connections and the port of a process that was killed. */
    @Test
    void aServerThatRefusesConnectionsIsLostLongBeforeTheLimitOfHeartbeats() throws Exception {
        Duration limit = Duration.ofSeconds(40);
        start(SchedulerConfig.of(1, 1).withHeartbeatLimit(limit).withServerReturn(Duration.ofMinutes(1)));
        long begun = System.nanoTime();
        toServer.close();
        toScheduler.refuse(true);
        await().forever().until(() -> !worker.lost().isEmpty());
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(limit.dividedBy(2));
        try (Server another = Server.start(server(scheduler.port()))) {
            assertThat(another.rank()).isZero();
            assertThat(Tensors.pull(worker, w)).containsOnly(1f);
            worker.close();
        }
    }

    @Test
    void aWorkerThatDoesNotConnectAgainIsLostLongBeforeTheLimitOfHeartbeats() throws Exception {
        Duration limit = Duration.ofSeconds(40);
        start(SchedulerConfig.of(1, 1).withMoreWorkers().withHeartbeatLimit(limit));
        try (Worker gone = connect(toScheduler.port())) {
            assertThat(gone.rank()).isEqualTo(1);
            long begun = System.nanoTime();
            toScheduler.refuse(true);
            await().forever().until(() -> !worker.lost().isEmpty());
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(limit.dividedBy(2));
            toScheduler.refuse(false); // it learns that it is lost
        }
    }

    /** The worker's limit is an eighth of the time after which the scheduler knows that the server is lost. */
    @Test
    void callsWaitForAServerInThePlaceOfALostOneThoughTheLimitOfReconnectionIsLess() throws Exception {
        start(SchedulerConfig.of(1, 1)
                .withHeartbeatLimit(Duration.ofSeconds(4))
                .withServerReturn(Duration.ofMinutes(1)));
        toServer.refuse(true); // it listens: it may be alive
        toScheduler.refuse(true);
        Pending<?> push = Tensors.push(worker, w, ONES);
        try (Server another = Server.start(server(scheduler.port()))) {
            push.await();
            assertThat(Tensors.pull(worker, w)).containsOnly(2f);
            assertThat(another.rank()).isZero();
            worker.close();
        }
        assertThatThrownBy(server::awaitTermination).hasMessageContaining("scheduler");
    }

    /** A server that is not expected back has slices of old tensors, and gets none of new ones. */
    @Test
    void aClusterThatHasLostAServerForGoodTakesNewTensors() throws Exception {
        start(SchedulerConfig.of(2, 1));
        int lost = server.rank();
        toServer.close();
        toScheduler.refuse(true);
        await().forever().until(() -> !worker.lost().isEmpty());
        TensorId later =
                Tensors.init(worker, TensorSpec.dense("later", 4).slices(4).optimizer(Optimizers.add()));
        assertThat(worker.layout(later).servers()).containsOnly(1 - lost);
        Tensors.push(worker, later, ONES).await();
        assertThat(Tensors.pull(worker, later)).containsOnly(1f);
        assertThatThrownBy(() -> Tensors.init(worker, TensorSpec.dense("w", 4).optimizer(Optimizers.add())))
                .hasMessageStartingWith(
                        "UNAVAILABLE: tensor \"w\": has slices on server " + lost + ", lost server " + lost)
                .hasMessageContaining("with PSF_SERVER_RETURN another server takes the place");
        assertThatThrownBy(worker::close).hasMessageContaining("it held changes of this worker");
    }
}
