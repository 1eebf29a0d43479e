package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.Client;
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
import io.psf.runtime.internal.cluster.HelloPsf;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinPsf;
import io.psf.runtime.internal.cluster.Leave;
import io.psf.runtime.internal.cluster.LeavePsf;
import io.psf.runtime.internal.cluster.Ticket;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Strangers, lost nodes and nodes of a wrong rank, while servers come and go. */
@Tag("long")
@Timeout(180)
final class ReturnAttacksTest {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);
    private static final Duration HEARTBEAT = Duration.ofSeconds(3);
    private static final String SECRET = "sixteen letters and more";
    private static final float[] ONES = {1, 1};

    private final FramePool pool = new FramePool(1 << 20);
    private final Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual());
    private final CallClient hostile = new CallClient(pool);

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        transport.close();
    }

    /** A scheduler, two servers, of each of which the tensor has a slice, and a worker. */
    private final class Job implements AutoCloseable {
        final Scheduler scheduler;
        final List<Server> servers = new ArrayList<>();
        final Worker worker;
        final TensorId sum;
        private final @Nullable String secret;

        Job(@Nullable String secret) throws Exception {
            this(secret, SchedulerConfig.of(2, 1));
        }

        Job(@Nullable String secret, SchedulerConfig usual) throws Exception {
            this.secret = secret;
            SchedulerConfig config =
                    usual.withServerReturn(Duration.ofMinutes(2)).withHeartbeatLimit(HEARTBEAT);
            scheduler = Scheduler.start(secret == null ? config : config.withSecret(secret));
            List<CompletableFuture<Server>> starting = List.of(start(0), start(1));
            WorkerConfig of = WorkerConfig.of("127.0.0.1", scheduler.port());
            worker = Worker.connect(secret == null ? of : of.withSecret(secret));
            for (CompletableFuture<Server> each : starting) {
                servers.add(each.get());
            }
            sum = Tensors.init(
                    worker,
                    TensorSpec.dense("sum", 2).optimizer(Optimizers.add()).slices(2));
        }

        ServerConfig server(int rank) {
            return ServerConfig.of("127.0.0.1", scheduler.port()).withRank(rank).withCheckpoints(folder);
        }

        CompletableFuture<Server> start(int rank) {
            ServerConfig config = secret == null ? server(rank) : server(rank).withSecret(secret);
            return CompletableFuture.supplyAsync(() -> Server.start(config));
        }

        void push() {
            Tensors.push(worker, sum, ONES).await();
        }

        void save(long step) {
            ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(step, Map.of());
        }

        float[] pull() {
            return Tensors.pull(worker, sum);
        }

        @Override
        public void close() {
            worker.close();
            servers.forEach(Server::close);
            scheduler.close();
        }
    }

    private Peer connect(int port) {
        return hostile.connect(transport, "127.0.0.1", port, "the victim");
    }

    private <Q, R> Pending<R> call(Peer peer, Function<Q, R> function, Q request) {
        return hostile.callNodes(function, request, List.of(peer), LIMIT);
    }

    private byte[] nonce(Peer peer) {
        return call(peer, ChallengePsf.FUNCTION, new Challenge.Request())
                .await()
                .nonce();
    }

    private static Join.Request join(Role role, int rank, String host, int port, long session) {
        Join.Request usual = Join.Request.of(role, rank, host, port);
        return new Join.Request(usual.protocol(), role, rank, usual.address(), session, usual.credential());
    }

    private static Ticket ticket(Role role, Join.Response joined) {
        return new Ticket(
                role,
                joined.admission().rank(),
                joined.admission().since(),
                joined.keys().cluster(),
                joined.keys().ticket());
    }

    private static void assertRefused(Runnable attack, Code code, String why) {
        assertThatThrownBy(attack::run)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(why);
    }

    @Test
    void aStrangerDoesNotTakeTheRankOfALostServer() throws Exception {
        try (Job job = new Job(SECRET)) {
            job.push();
            job.save(1);
            job.push();
            job.servers.get(1).close();
            CompletableFuture<float[]> waits = CompletableFuture.supplyAsync(job::pull);
            int port = job.scheduler.port();
            Member scheduler = new Member(Role.SCHEDULER, 0, "127.0.0.1", port);
            for (int attempt = 0; attempt < 20; attempt++) {
                assertRefused(() -> Server.start(job.server(1)), Code.BAD_REQUEST, "credential of a server: none");
                assertRefused(
                        () -> Server.start(job.server(1).withSecret("another secret of 16")),
                        Code.BAD_REQUEST,
                        "credential of a server: wrong");
                Peer peer = connect(port);
                nonce(peer);
                Join.Request own = join(Role.SERVER, 1, "127.0.0.1", 9, 5);
                assertRefused(
                        () -> call(peer, JoinPsf.FUNCTION, with(own, new byte[32]))
                                .await(),
                        Code.BAD_REQUEST,
                        "credential of a server: wrong");
                Ticket made = new Ticket(Role.SERVER, 1, 1, 0, new byte[32]);
                assertRefused(
                        () -> call(peer, HelloPsf.FUNCTION, made.hello(scheduler, 5, 1, nonce(peer)))
                                .await(),
                        Code.BAD_REQUEST,
                        "cluster: 0");
                hostile.disconnect(peer);
            }
            assertThat(waits).isNotDone();
            job.servers.set(1, job.start(1).get());
            assertThat(waits.get()).containsExactly(2, 1);
        }
    }

    private static Join.Request with(Join.Request request, byte[] credential) {
        return new Join.Request(
                request.protocol(), request.role(), request.rank(), request.address(), request.session(), credential);
    }

    /** The later one waits, and takes the rank when the other has gone. */
    @Test
    void ofTwoServersThatClaimARankOneTakesItAndEachCallRunsOnce() throws Exception {
        try (Job job = new Job(null)) {
            job.push();
            job.save(1);
            job.servers.get(1).close();
            List<Pending<?>> calls = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                calls.add(Tensors.push(job.worker, job.sum, ONES));
            }
            List<CompletableFuture<Server>> claims = List.of(job.start(1), job.start(1));
            Server first = (Server)
                    CompletableFuture.anyOf(claims.get(0), claims.get(1)).get();
            calls.forEach(Pending::await);
            assertThat(job.pull()).containsExactly(101, 101);
            CompletableFuture<Server> second = claims.get(0).getNow(null) == first ? claims.get(1) : claims.get(0);
            assertThat(second).as("the other claim").isNotDone();
            job.save(2);
            first.close();
            calls.clear();
            for (int i = 0; i < 100; i++) {
                calls.add(Tensors.push(job.worker, job.sum, ONES));
            }
            job.servers.set(1, second.get());
            calls.forEach(Pending::await);
            assertThat(job.pull()).containsExactly(201, 201);
        }
    }

    /** The stopped server's values are not those of the checkpoint, so its answers would be seen. */
    @ParameterizedTest
    @EnumSource(
            value = TransportConfig.Kind.class,
            names = {"SHM", "TCP", "NETTY"})
    void aReplacedServerThatWasStoppedEndsAndAnswersNoCall(TransportConfig.Kind kind) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of(
                        "PSF_TRANSPORT",
                        kind.name().toLowerCase(Locale.ROOT),
                        "PSF_HEARTBEAT_LIMIT",
                        HEARTBEAT.toSeconds() + "s",
                        "PSF_SERVER_RETURN",
                        "60s",
                        "PSF_CHECKPOINTS",
                        folder.toString()))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .endOnFailure(false)
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            int port = Integer.parseInt(address[1]);
            TransportConfig over = TransportConfig.usual().withKind(kind);
            Worker worker = Worker.connect(WorkerConfig.of(address[0], port).withTransport(over));
            TensorId sum = Tensors.init(
                    worker,
                    TensorSpec.dense("sum", 2).optimizer(Optimizers.add()).slices(2));
            Tensors.push(worker, sum, ONES).await();
            ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
            for (int i = 0; i < 10; i++) {
                Tensors.push(worker, sum, ONES).await();
            }
            Process stopped = job.process("server 1");
            ProcessesTest.signal("STOP", stopped);
            Pending<?> push = Tensors.push(worker, sum, ONES);
            await().forever().until(() -> lines.stream().anyMatch(line -> line.contains("WARN  lost server 1")));
            Server successor = Server.start(ServerConfig.of(address[0], port)
                    .withRank(1)
                    .withCheckpoints(folder)
                    .withTransport(over));
            try (successor) {
                push.await();
                ProcessesTest.signal("CONT", stopped);
                long calls = 0;
                while (stopped.isAlive() && calls < 1_000_000) {
                    assertThat(Tensors.pull(worker, sum)).containsExactly(12, 2);
                    calls++;
                }
                assertThat(stopped.waitFor(20, TimeUnit.SECONDS))
                        .as(String.join("\n", lines))
                        .isTrue();
                assertThat(stopped.exitValue()).isNotZero();
                assertThat(Tensors.pull(worker, sum)).containsExactly(12, 2);
                assertThat(calls).isPositive();
                worker.close();
            }
        }
        assertThat(lines) // its own heartbeat may be overdue before the scheduler's refusal arrives
                .anyMatch(
                        line -> line.matches(
                                "server 1: .* ERROR server 1 ends: "
                                        + "(.*counted as lost by the scheduler.*|TIMED_OUT: .* in psf\\.cluster\\.beat, scheduler .*)"));
    }

    /** A server whose ticket has been taken over: its epoch is not that of the node that has the rank now. */
    @Test
    void theTicketOfAReplacedServerIsOfNoUse() throws Exception {
        try (Job job = new Job(null)) {
            job.push();
            job.save(1);
            job.servers.get(1).close();
            Peer peer = connect(job.scheduler.port());
            Join.Response joined = call(peer, JoinPsf.FUNCTION, join(Role.SERVER, 1, "127.0.0.1", 9, 5))
                    .await();
            call(peer, BeatPsf.FUNCTION, new Beat.Request(0, 0)).await(); // it has got its answer
            Ticket old = ticket(Role.SERVER, joined);
            assertThat(old.rank()).isEqualTo(1);
            Peer present = connect(job.servers.get(0).port());
            Member server =
                    new Member(Role.SERVER, 0, "127.0.0.1", job.servers.get(0).port());
            call(present, HelloPsf.FUNCTION, old.hello(server, 0, 0, nonce(present)))
                    .await(); // as long as it has the rank
            call(peer, LeavePsf.FUNCTION, new Leave.Request()).await();
            job.servers.set(1, job.start(1).get(60, TimeUnit.SECONDS));
            for (Server each : job.servers) {
                Peer to = connect(each.port());
                Member at = new Member(Role.SERVER, each.rank(), "127.0.0.1", each.port());
                assertRefused(
                        () -> call(to, HelloPsf.FUNCTION, old.hello(at, 0, 0, nonce(to)))
                                .await(),
                        Code.CLOSED,
                        "server 1: another node has this rank now");
                assertRefused(
                        () -> call(to, HelloPsf.FUNCTION, old.hello(at, 7, 0, nonce(to)))
                                .await(),
                        Code.CLOSED,
                        "server 1: another node has this rank now");
            }
            assertRefusedByTheScheduler(job, old, 5);
            assertThat(job.pull()).containsExactly(1, 1);
        }
    }

    @Test
    void theTicketOfAReplacedWorkerIsOfNoUse() throws Exception {
        try (Job job = new Job(null, SchedulerConfig.of(2, 1).withMoreWorkers())) {
            Peer peer = connect(job.scheduler.port());
            Join.Response joined =
                    call(peer, JoinPsf.FUNCTION, join(Role.WORKER, 1, "", 0, 5)).await();
            call(peer, BeatPsf.FUNCTION, new Beat.Request(0, 0)).await(); // it has got its answer
            Ticket old = ticket(Role.WORKER, joined);
            int port = job.servers.get(0).port();
            Member server = new Member(Role.SERVER, 0, "127.0.0.1", port);
            Peer session = connect(port);
            call(session, HelloPsf.FUNCTION, old.hello(server, 6, 0, nonce(session)))
                    .await();
            call(peer, LeavePsf.FUNCTION, new Leave.Request()).await();
            try (Worker successor = Worker.connect(
                    WorkerConfig.of("127.0.0.1", job.scheduler.port()).withRank(1))) {
                for (int connection : new int[] {0, 1}) { // a new session, and the one that it had
                    Peer to = connect(port);
                    assertRefused(
                            () -> call(to, HelloPsf.FUNCTION, old.hello(server, 6 + connection, connection, nonce(to)))
                                    .await(),
                            Code.CLOSED,
                            "worker 1: another node has this rank now");
                }
                assertRefusedByTheScheduler(job, old, 5);
                Tensors.push(successor, job.sum, ONES).await();
                assertThat(job.pull()).containsExactly(1, 1);
            }
        }
    }

    private void assertRefusedByTheScheduler(Job job, Ticket old, long session) {
        Peer peer = connect(job.scheduler.port());
        Member scheduler = new Member(Role.SCHEDULER, 0, "127.0.0.1", job.scheduler.port());
        assertRefused(
                () -> call(peer, HelloPsf.FUNCTION, old.hello(scheduler, session, 1, nonce(peer)))
                        .await(),
                Code.CLOSED,
                "this node: counted as lost by the scheduler");
        assertThatThrownBy(() ->
                        call(peer, BeatPsf.FUNCTION, new Beat.Request(0, 0)).await())
                .hasMessageContaining("PROTOCOL: call of \"psf.cluster.beat\" before the hello");
    }

    /** One of the clients closes its connections, the other one sends nothing more. */
    @Test
    @Tag("chaos")
    void clientsThatAreGoneDuringACallLeaveNothingBehind() throws Exception {
        try (Job job = new Job(null)) {
            Gauges scheduler = new Gauges();
            job.scheduler.listen(scheduler);
            List<Gauges> servers = new ArrayList<>();
            for (Server each : job.servers) {
                Gauges gauges = new Gauges();
                each.listen(gauges);
                servers.add(gauges);
            }
            job.push();
            List<List<Double>> before = read(scheduler, servers);
            Transport dying = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual());
            CallClient gone = new CallClient(pool);
            List<Pending<?>> calls = new ArrayList<>();
            calls.addAll(callAsAClient(job, gone, dying, 11));
            calls.addAll(callAsAClient(job, hostile, transport, 21));
            await().forever().until(() -> servers.stream().allMatch(each -> each.read("psf.calls.deferred") == 2));
            assertThat(calls).noneMatch(Pending::isDone);
            assertThat(read(scheduler, servers)).isNotEqualTo(before);
            dying.close();
            await().atMost(100, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(read(scheduler, servers)).isEqualTo(before));
            job.push();
            assertThat(job.pull()).containsExactly(2, 2);
        }
    }

    private static List<List<Double>> read(Gauges scheduler, List<Gauges> servers) {
        List<List<Double>> read = new ArrayList<>();
        read.add(List.of(scheduler.read("psf.connections"), scheduler.read("psf.sessions")));
        for (Gauges each : servers) {
            read.add(List.of(each.read("psf.connections"), each.read("psf.sessions"), each.read("psf.calls.deferred")));
        }
        return read;
    }

    /** Joins as a client, and calls a function on each server that never answers. */
    private List<Pending<?>> callAsAClient(Job job, CallClient client, Transport over, long session) {
        Peer scheduler = client.connect(over, "127.0.0.1", job.scheduler.port(), "the scheduler");
        Join.Response joined = client.callNodes(
                        JoinPsf.FUNCTION, join(Role.CLIENT, -1, "", 0, session), List.of(scheduler), LIMIT)
                .await();
        Ticket ticket = ticket(Role.CLIENT, joined);
        List<Pending<?>> calls = new ArrayList<>();
        for (Server each : job.servers) {
            Peer peer = client.connect(over, "127.0.0.1", each.port(), "a server");
            byte[] nonce = client.callNodes(ChallengePsf.FUNCTION, new Challenge.Request(), List.of(peer), LIMIT)
                    .await()
                    .nonce();
            Member server = new Member(Role.SERVER, each.rank(), "127.0.0.1", each.port());
            client.callNodes(
                            HelloPsf.FUNCTION,
                            ticket.hello(server, session + 1 + each.rank(), 0, nonce),
                            List.of(peer),
                            LIMIT)
                    .await();
            calls.add(client.callNodes(
                    AwaitNodePsf.FUNCTION, new AwaitNode.Request(), List.of(peer), TimeUnit.MINUTES.toNanos(10)));
        }
        return calls;
    }

    @Test
    void aThousandWrongJoinsAreRefusedWhileCallsGoOn() throws Exception {
        try (Job job = new Job(null);
                Client client = Client.connect(WorkerConfig.of("127.0.0.1", job.scheduler.port()))) {
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Integer> pushing = CompletableFuture.supplyAsync(() -> {
                int pushes = 0;
                while (!over.get()) {
                    Tensors.push(client, job.sum, ONES).await();
                    pushes++;
                }
                return pushes;
            });
            long seed = System.nanoTime();
            Random random = new Random(seed);
            for (int i = 1; i <= 1000; i++) {
                Join.Request wrong = wrong(random, i);
                Peer peer = connect(job.scheduler.port());
                Pending<?> joining =
                        hostile.callNodes(JoinPsf.FUNCTION, wrong, List.of(peer), TimeUnit.SECONDS.toNanos(10));
                PsException refusal = catchThrowableOfType(PsException.class, joining::await);
                assertThat(refusal).as("seed %d: %s", seed, wrong).isNotNull();
                assertThat(refusal.code()).as("seed %d: %s", seed, wrong).isEqualTo(Code.BAD_REQUEST);
                assertThat(refusal.detail())
                        .as("seed %d", seed)
                        .contains("(expected: ")
                        .hasSizeLessThan(400);
                hostile.disconnect(peer);
            }
            over.set(true);
            float pushes = pushing.get();
            assertThat(pushes).isPositive();
            assertThat(job.pull()).containsExactly(pushes, pushes);
            job.save(1);
            job.servers.get(1).close();
            job.servers.set(1, job.start(1).get()); // no wrong join has its place
            assertThat(job.pull()).containsExactly(pushes, pushes);
        }
    }

    private static Join.Request wrong(Random random, long session) {
        int negative = -2 - random.nextInt(1 << random.nextInt(30));
        int beyond = 2 + random.nextInt(1 << random.nextInt(30));
        return switch (random.nextInt(10)) {
            case 0 -> join(Role.SERVER, negative, "127.0.0.1", 9, session);
            case 1 -> join(Role.SERVER, Integer.MIN_VALUE, "127.0.0.1", 9, session);
            case 2 -> join(Role.SERVER, beyond, "127.0.0.1", 9, session);
            case 3 -> join(Role.WORKER, negative, "", 0, session);
            case 4 -> join(Role.WORKER, beyond, "", 0, session);
            case 5 -> join(Role.SCHEDULER, random.nextInt(3) - 1, "127.0.0.1", 9, session);
            case 6 -> join(Role.CLIENT, random.nextInt(1000), "", 0, session);
            case 7 -> join(Role.CLIENT, negative, "", 0, session);
            case 8 -> join(Role.WORKER, -1, "127.0.0.1", 9, session);
            default -> join(Role.SERVER, 1, "127.0.0.1", 9, 0);
        };
    }
}
