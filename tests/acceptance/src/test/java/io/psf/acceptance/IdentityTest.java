package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.Beat;
import io.psf.runtime.internal.cluster.BeatPsf;
import io.psf.runtime.internal.cluster.Challenge;
import io.psf.runtime.internal.cluster.ChallengePsf;
import io.psf.runtime.internal.cluster.Hello;
import io.psf.runtime.internal.cluster.HelloPsf;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinPsf;
import io.psf.runtime.internal.cluster.Protocol;
import io.psf.runtime.internal.cluster.Ticket;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile peer: it says that it is another, and is not believed. */
@Timeout(60)
final class IdentityTest {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private final FramePool pool = new FramePool(1 << 20);
    private final Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual());
    private final CallClient hostile = new CallClient(pool);

    @AfterEach
    void stop() {
        transport.close();
    }

    private Peer connect(int port) {
        return hostile.connect(transport, "127.0.0.1", port, "the victim");
    }

    private <Q, R> Pending<R> call(Peer peer, Function<Q, R> function, Q request) {
        return hostile.callNodes(function, request, List.of(peer), LIMIT);
    }

    private static void assertRefused(ThrowingCallable call, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST))
                .hasMessageContaining(why);
    }

    private static Join.Request join(Role role, int rank, String host, int port, long session) {
        Join.Request usual = Join.Request.of(role, rank, host, port);
        return new Join.Request(usual.protocol(), role, rank, usual.address(), session, usual.credential());
    }

    /** The server of a cluster, a worker of it, and one that has joined as worker 1 by the rules. */
    private record Joined(Scheduler scheduler, Server server, Worker worker, Join.Response other)
            implements AutoCloseable {
        @Override
        public void close() {
            worker.close();
            server.close();
            scheduler.close();
        }
    }

    private Joined clusterWithAHostileWorker() throws Exception {
        return clusterWithAHostileWorker(TransportConfig.usual());
    }

    private Joined clusterWithAHostileWorker(TransportConfig ofServer) throws Exception {
        Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 2));
        CompletableFuture<Server> server = CompletableFuture.supplyAsync(() ->
                Server.start(ServerConfig.of("127.0.0.1", scheduler.port()).withTransport(ofServer)));
        CompletableFuture<Worker> worker = CompletableFuture.supplyAsync(() ->
                Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port()).withRank(0)));
        Peer peer = connect(scheduler.port());
        Join.Response joined =
                call(peer, JoinPsf.FUNCTION, join(Role.WORKER, 1, "", 0, 5)).await();
        call(peer, BeatPsf.FUNCTION, new Beat.Request(0, 0)).await(); // it has got its answer
        return new Joined(scheduler, server.get(), worker.get(), joined);
    }

    /** In a cluster without a secret anybody may join as long as it forms. */
    @Test
    void joinsThatBreakWriteFewLines() {
        int most = 200;
        try (Log log = Log.of("io.psf.runtime.internal.cluster.Membership");
                Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 2))) {
            for (int accepted = 0, session = 1; accepted < most; session++) {
                Peer peer = connect(scheduler.port());
                for (int each = 0; each < 2; each++) { // the second join is refused once the first is handled
                    Pending<Join.Response> joined = call(peer, JoinPsf.FUNCTION, join(Role.WORKER, -1, "", 0, session));
                    if (each == 1) {
                        PsException refusal = catchThrowableOfType(PsException.class, joined::await);
                        accepted += refusal.detail().contains("a second one on this connection") ? 1 : 0;
                    }
                }
                hostile.disconnect(peer);
            }
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("INFO worker joined from 127.0.0.1"))
                    .anyMatch(line -> line.endsWith("disconnected before the cluster was ready"))
                    .hasSizeLessThan(most / 2);
        }
    }

    /** A joined worker has a ticket, and it is for its own rank. */
    @Test
    void aTicketIsOfNoUseForAnotherRank() throws Exception {
        try (Joined cluster = clusterWithAHostileWorker()) {
            int port = cluster.server().port();
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            Member victim = new Member(Role.SERVER, 0, "127.0.0.1", port);
            Hostile own = new Hostile(Role.WORKER, 1, cluster.other());
            Hostile other = new Hostile(Role.WORKER, 0, cluster.other());
            Peer peer = connect(port);
            assertRefused(
                    () -> call(peer, HelloPsf.FUNCTION, own.hello(victim, 6, 0, new byte[16]))
                            .await(),
                    "hello: without a challenge (expected: psf.connection.challenge before it");
            assertRefused(
                    () -> call(peer, HelloPsf.FUNCTION, other.hello(victim, 6, 0, nonce(peer)))
                            .await(),
                    "proof of worker 0: wrong");
            byte[] nonce = nonce(peer);
            Hello.Request good = own.hello(victim, 6, 0, nonce);
            call(peer, HelloPsf.FUNCTION, good).await();
            Peer second = connect(port);
            assertRefused(() -> call(second, HelloPsf.FUNCTION, good).await(), "hello: without a challenge");
            nonce(second);
            assertRefused(() -> call(second, HelloPsf.FUNCTION, good).await(), "proof of worker 1: wrong");
            Peer third = connect(port);
            Hello.Request elsewhere = own.hello(new Member(Role.SERVER, 1, "127.0.0.1", port), 7, 0, nonce(third));
            assertRefused(() -> call(third, HelloPsf.FUNCTION, elsewhere).await(), "proof of worker 1: wrong");
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(0f);
        }
    }

    @Test
    void aPlaceAtTheSchedulerIsTakenUpByItsOwnNodeAlone() throws Exception {
        try (Joined cluster = clusterWithAHostileWorker()) {
            int port = cluster.scheduler().port();
            Member victim = new Member(Role.SCHEDULER, 0, "127.0.0.1", port);
            Peer peer = connect(port);
            for (Role role : List.of(Role.WORKER, Role.SERVER)) {
                Hostile other = new Hostile(role, 0, cluster.other());
                assertRefused(
                        () -> call(peer, HelloPsf.FUNCTION, other.hello(victim, 5, 1, nonce(peer)))
                                .await(),
                        "wrong");
            }
            assertRefused(
                    () -> call(peer, JoinPsf.FUNCTION, join(Role.WORKER, 1, "", 0, 5))
                            .await(),
                    "session of a join: in use already");
            Tensors.init(cluster.worker(), TensorSpec.dense("w", 4)); // asks the scheduler
            Hostile own = new Hostile(Role.WORKER, 1, cluster.other());
            call(peer, HelloPsf.FUNCTION, own.hello(victim, 5, 1, nonce(peer))).await();
        }
    }

    private byte[] nonce(Peer peer) {
        return call(peer, ChallengePsf.FUNCTION, new Challenge.Request())
                .await()
                .nonce();
    }

    /** Says hello as any node, with the ticket that it has. */
    private record Hostile(Role role, int rank, Join.Response joined) {
        Hello.Request hello(Member host, long session, int connection, byte[] nonce) {
            return new Ticket(
                            role,
                            rank,
                            joined.admission().since(),
                            joined.keys().cluster(),
                            joined.keys().ticket())
                    .hello(host, session, connection, nonce);
        }
    }

    private Join.Response join(int port, Join.Request request) {
        return call(connect(port), JoinPsf.FUNCTION, request).await();
    }

    /** A node of a later version of psf, say. */
    @Test
    void aNodeWithoutACommonProtocolIsRefusedInASentence() throws Exception {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1))) {
            Join.Request usual = join(Role.WORKER, -1, "", 0, 1);
            Protocol later = new Protocol(9, 8, List.of());
            Protocol encrypts = new Protocol(9, 1, List.of(new Protocol.Feature("encrypts", true)));
            assertThatThrownBy(() -> join(scheduler.port(), speaking(later, usual)))
                    .hasMessageContaining("PROTOCOL: versions of the protocol: 8 to 9 (expected: one of 1)");
            assertThatThrownBy(() -> join(scheduler.port(), speaking(encrypts, usual)))
                    .hasMessageContaining(
                            "PROTOCOL: feature of the protocol: \"encrypts\" (expected: one of" + " [checksum])");
            CompletableFuture<Server> server =
                    CompletableFuture.supplyAsync(() -> Server.start(ServerConfig.of("127.0.0.1", scheduler.port())));
            Protocol compresses = new Protocol(9, 1, List.of(new Protocol.Feature("compresses", false)));
            Join.Response joined = join(scheduler.port(), speaking(compresses, usual));
            assertThat(joined.protocol()).as("in common").isEqualTo(new Protocol(1, 1, List.of()));
            server.get().close();
        }
    }

    @Test
    void aServerWithChecksumsRefusesANodeThatDoesNotKnowThem() throws Exception {
        try (Joined cluster = clusterWithAHostileWorker(TransportConfig.usual().withChecksum(true))) {
            int port = cluster.server().port();
            Member victim = new Member(Role.SERVER, 0, "127.0.0.1", port);
            Hostile own = new Hostile(Role.WORKER, 1, cluster.other());
            Peer peer = connect(port);
            Hello.Request usual = own.hello(victim, 6, 0, nonce(peer));
            Hello.Request older = new Hello.Request(
                    new Protocol(1, 1, List.of()), usual.caller(), usual.cluster(), usual.session(), usual.proof());
            assertThatThrownBy(() -> call(peer, HelloPsf.FUNCTION, older).await())
                    .hasMessageContaining("PROTOCOL: features of the protocol: [] (expected: \"checksum\" as well)");
            call(peer, HelloPsf.FUNCTION, usual).await();
        }
    }

    private static Join.Request speaking(Protocol protocol, Join.Request usual) {
        return new Join.Request(
                protocol, usual.role(), usual.rank(), usual.address(), usual.session(), usual.credential());
    }

    @Test
    void aClusterWithASecretTakesTheNodesThatHaveIt() throws Exception {
        String secret = "sixteen letters and more";
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withSecret(secret))) {
            ServerConfig server = ServerConfig.of("127.0.0.1", scheduler.port());
            WorkerConfig worker = WorkerConfig.of("127.0.0.1", scheduler.port());
            assertRefused(
                    () -> Server.start(server),
                    "credential of a server: none (expected: made with the secret of the cluster, PSF_SECRET)");
            assertRefused(
                    () -> Worker.connect(worker.withSecret("another secret of 16")), "credential of a worker: wrong");
            byte[] stolen = new byte[32];
            Join.Request usual = join(Role.WORKER, -1, "", 0, 1);
            Join.Request thief =
                    new Join.Request(usual.protocol(), Role.WORKER, -1, usual.address(), usual.session(), stolen);
            assertRefused(() -> join(scheduler.port(), thief), "credential of a worker: wrong");
            CompletableFuture<Server> started =
                    CompletableFuture.supplyAsync(() -> Server.start(server.withSecret(secret)));
            try (Worker good = Worker.connect(worker.withSecret(secret))) {
                TensorId w = Tensors.init(good, TensorSpec.dense("w", 4));
                assertThat(Tensors.pull(good, w)).containsOnly(0f);
            }
            started.get().awaitTermination();
        }
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1))) {
            WorkerConfig worker = WorkerConfig.of("127.0.0.1", scheduler.port());
            assertRefused(
                    () -> Worker.connect(worker.withSecret(secret)),
                    "credential of a worker: 32 bytes (expected: none, since the scheduler has no secret)");
        }
    }

    /** Each would be a node that nobody ends, and that keeps a real one out. */
    @Test
    void aConnectionJoinsOnce() throws Exception {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 2))) {
            Peer peer = connect(scheduler.port());
            var first = call(peer, JoinPsf.FUNCTION, join(Role.WORKER, -1, "", 0, 1));
            assertRefused(
                    () -> call(peer, JoinPsf.FUNCTION, join(Role.WORKER, -1, "", 0, 2))
                            .await(),
                    "a second one on this connection");
            assertRefused(
                    () -> call(peer, JoinPsf.FUNCTION, join(Role.WORKER, -1, "", 0, 1))
                            .await(),
                    "a second one on this connection");
            assertThat(first.isDone()).isFalse();
            peer.channel().close();
            assertThatThrownBy(first::await).isInstanceOf(PsException.class);
            CompletableFuture<Server> server =
                    CompletableFuture.supplyAsync(() -> Server.start(ServerConfig.of("127.0.0.1", scheduler.port())));
            CompletableFuture<Worker> other =
                    CompletableFuture.supplyAsync(() -> Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port())));
            try (Worker worker = Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port()))) {
                assertThat(worker.workers()).isEqualTo(2);
                other.get().close();
            }
            server.get().awaitTermination();
        }
    }

    @Test
    void aNodesAddressIsAHostAndAPort() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 1)) {
            int port = cluster.scheduler().port();
            for (String host : List.of("", "a\nlost worker 0", "a b", "\u001b[31m", "x".repeat(300))) {
                assertThatThrownBy(() -> call(connect(port), JoinPsf.FUNCTION, join(Role.SERVER, -1, host, 1, 1))
                                .await())
                        .hasMessageContaining("place of a server: ")
                        .message()
                        .hasSizeLessThan(500)
                        .doesNotContain("\n", "\u001b");
            }
            assertRefused(
                    () -> call(connect(port), JoinPsf.FUNCTION, join(Role.SERVER, -1, "::1", 0, 1))
                            .await(),
                    "place of a server: ::1:0 (expected: a host and a port)");
            assertRefused(
                    () -> call(connect(port), JoinPsf.FUNCTION, join(Role.WORKER, -1, "me", 0, 1))
                            .await(),
                    "place of a worker");
            assertRefused(
                    () -> call(connect(port), JoinPsf.FUNCTION, join(Role.SERVER, -1, "fe80::1%eth0", 9, 1))
                            .await(),
                    "another server");
        }
    }
}
