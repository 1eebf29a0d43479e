package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.Client;
import io.psf.runtime.GivenTime;
import io.psf.runtime.Guest;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster whose nodes may call what a file says. */
@Timeout(120)
class PermissionsTest {
    private static final String SECRET = "the secret of all servers";
    private static final String TRAINING = "the token of the training";
    private static final String READING = "the token of the readers";
    private static final String FILE = """
            groups:
              own: [acceptance.add.tensor]
            allow:
              - {name: training, token: the token of the training, roles: [worker], functions: [read, pull, push]}
              - {name: reading, token: the token of the readers, roles: [client, guest], functions: [pull]}
              - {name: nodes, roles: [server], functions: [read, pull, push]}
            """;

    @TempDir
    Path folder;

    private final List<AutoCloseable> nodes = new ArrayList<>();
    private @Nullable Scheduler scheduler;

    private Path file() {
        return folder.resolve("permissions.yaml");
    }

    /** Replaces the file, as an editor does. */
    private void write(String text) throws IOException {
        Path fresh = folder.resolve("fresh.yaml");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(fresh, text);
        Files.move(fresh, file(), StandardCopyOption.REPLACE_EXISTING);
    }

    private <T extends AutoCloseable> T kept(T node) {
        nodes.add(0, node);
        return node;
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable node : nodes) {
            node.close();
        }
    }

    private int port() {
        return java.util.Objects.requireNonNull(scheduler).port();
    }

    private WorkerConfig as(String secret) {
        return WorkerConfig.of("127.0.0.1", port()).withSecret(secret).withJoinTimeout(Duration.ofSeconds(30));
    }

    private Server server() {
        return Server.start(
                ServerConfig.of("127.0.0.1", port()).withSecret(SECRET).withCheckpoints(folder.resolve("checkpoints")));
    }

    /** Forms a cluster of two servers and a worker, the trainer. */
    private Worker form(SchedulerConfig config) throws IOException {
        return form(config, FILE);
    }

    private Worker form(SchedulerConfig config, String permissions) throws IOException {
        write(permissions);
        scheduler = kept(Scheduler.start(
                config.withSecret(SECRET).withPermissions(file()).withHeartbeatLimit(Duration.ofSeconds(5))));
        CompletableFuture<Server> first = CompletableFuture.supplyAsync(this::server);
        CompletableFuture<Server> second = CompletableFuture.supplyAsync(this::server);
        Worker worker = Worker.connect(as(TRAINING));
        kept(first.join());
        kept(second.join());
        return kept(worker);
    }

    private static void assertDenied(ThrowingCallable call, String function, String caller) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.PERMISSION_DENIED))
                .hasMessageContaining(function + ": not allowed to " + caller
                        + " (expected: a rule of PSF_PERMISSIONS that allows it)");
    }

    private static TensorId tensor(Worker worker) {
        return Tensors.init(
                worker, TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(2));
    }

    @Test
    void everyoneMayCallWhatTheFileSays() throws IOException {
        Worker worker = form(SchedulerConfig.of(2, 1));
        TensorId w = tensor(worker);
        Tensors.push(worker, w, new float[100]).await();
        worker.barrier();
        assertDenied(() -> Tensors.clear(worker, w), "psf.clear", "worker 0 (training)");
        assertDenied(() -> worker.end(), "psf.cluster.end", "worker 0 (training)");
        assertDenied(
                () -> AddTensorPsf.stub(worker).call(w, 1, w).await(), "acceptance.add.tensor", "worker 0 (training)");
        Client client = kept(Client.connect(as(READING)));
        assertThat(Tensors.pull(client, w)).hasSize(100);
        assertDenied(() -> Tensors.push(client, w, new float[100]).await(), "psf.dense.push", "client 0 (reading)");
        Chain chain = client.chain();
        var pulled = DensePullPsf.stub(chain).call(w);
        var pushed = DensePushPsf.stub(chain).call(w, FloatArray.of(new float[100]));
        chain.send();
        assertThat(pulled.await().values().length()).isEqualTo(100);
        assertDenied(pushed::await, "psf.dense.push", "client 0 (reading)");
        try (Guest guest = Guest.visit(as(READING))) {
            assertDenied(() -> Tensors.list(guest), "psf.list", "a guest (reading)");
        }
    }

    /** Each of the two servers logs a function once. */
    @Test
    void refusedCallsAreLoggedOncePerFunctionAndMinute() throws IOException {
        Worker worker = form(SchedulerConfig.of(2, 1));
        TensorId w = tensor(worker);
        Client client = kept(Client.connect(as(READING)));
        try (Log log = Log.of("io.psf.runtime.internal.server.session.Access")) {
            for (int i = 0; i < 20; i++) {
                assertDenied(
                        () -> Tensors.push(client, w, new float[100]).await(), "psf.dense.push", "client 0 (reading)");
                assertDenied(() -> Tensors.clear(worker, w), "psf.clear", "worker 0 (training)");
            }
            assertThat(log.lines().stream().filter(line -> line.contains("psf.dense.push: not allowed to client 0")))
                    .hasSizeBetween(1, 2);
            assertThat(log.lines().stream().filter(line -> line.contains("psf.clear: not allowed to worker 0")))
                    .hasSizeBetween(1, 2);
            assertThat(log.lines()).hasSizeLessThanOrEqualTo(4);
        }
    }

    @Test
    void aRoleThatNoEntryAllowsIsRefusedAtOnce() throws IOException {
        form(SchedulerConfig.of(2, 1));
        long began = GivenTime.nanos();
        assertThatThrownBy(() -> Worker.connect(as(READING)))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.PERMISSION_DENIED))
                .hasMessageContaining("role: worker (expected: a rule of PSF_PERMISSIONS that allows it to this node)");
        assertThatThrownBy(() -> Guest.visit(as(TRAINING))).hasMessageContaining("PERMISSION_DENIED: role: guest");
        assertThatThrownBy(
                        () -> Server.start(ServerConfig.of("127.0.0.1", port()).withSecret(TRAINING)))
                .hasMessageContaining("PERMISSION_DENIED: role: server");
        assertThatThrownBy(() -> Client.connect(as("a token of nobody here")))
                .hasMessageContaining(
                        "BAD_REQUEST: credential of a client: wrong (expected: made with the secret of the"
                                + " cluster, or a token of PSF_PERMISSIONS, in the node's PSF_SECRET)");
        assertThat(Duration.ofNanos(GivenTime.nanos() - began)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void whatIsRevokedIsRefusedWhileTheCallsOfOthersGoOn() throws IOException {
        Worker worker = form(SchedulerConfig.of(2, 1));
        TensorId w = tensor(worker);
        Client client = kept(Client.connect(as(READING)));
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger pushed = new AtomicInteger();
        float[] ones = new float[100];
        java.util.Arrays.fill(ones, 1);
        CompletableFuture<Void> training = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                Tensors.push(worker, w, ones).await();
                pushed.incrementAndGet();
            }
        });
        assertThat(Tensors.pull(client, w)).hasSize(100);
        write("allow: [");
        write(FILE.replace("name: reading", "name: others"));
        await().forever().until(() -> isDenied(client, w));
        assertDenied(() -> Tensors.pull(client, w), "psf.dense.pull", "client 0 (reading)");
        int before = pushed.get();
        await().forever().until(() -> pushed.get() > before + 10);
        assertThat(training).isNotDone();
        write(FILE);
        await().forever().until(() -> !isDenied(client, w));
        isOver.set(true);
        training.join();
        assertThat(Tensors.pull(client, w)).containsOnly(pushed.get());
        client.close();
    }

    private static boolean isDenied(Client client, TensorId tensor) {
        try {
            Tensors.pull(client, tensor);
            return false;
        } catch (PsException e) {
            assertThat(e.code()).isEqualTo(Code.PERMISSION_DENIED);
            return true;
        }
    }

    @Test
    void aBrokenFileChangesNothing() throws IOException {
        Worker worker = form(SchedulerConfig.of(2, 1));
        TensorId w = tensor(worker);
        try (Log log = Log.of("io.psf.runtime.internal.cluster.PermissionsFile")) {
            write(FILE.replace("functions: [pull]", "functions: [pull, all, puul]"));
            await().forever()
                    .until(() -> log.lines().stream()
                            .anyMatch(line -> line.contains(
                                    "line 5: group: puul (expected: read, pull, push, admin, own, all)")));
        }
        Client client = kept(Client.connect(as(READING)));
        assertThat(Tensors.pull(client, w)).hasSize(100);
        assertDenied(() -> Tensors.push(client, w, new float[100]).await(), "psf.dense.push", "client 0 (reading)");
    }

    @Test
    void aServerThatComesLaterHasTheRules() throws Exception {
        String all = FILE.replace("[read, pull, push]", "[all]");
        Worker worker = form(SchedulerConfig.of(2, 1).withServerReturn(Duration.ofSeconds(60)), all);
        TensorId w = tensor(worker);
        ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
        Client client = kept(Client.connect(as(READING)));
        nodes.remove(2).close();
        Server later = server();
        nodes.add(nodes.size() - 1, later); // closed after the client and the worker
        assertThat(later.rank()).isBetween(0, 1);
        assertThat(Tensors.pull(client, w)).hasSize(100);
        assertThatThrownBy(() -> Tensors.push(client, w, new float[100]).await())
                .hasMessageContaining("not allowed to client 0 (reading)");
    }

    @Test
    void aSchedulerWithAJournalHasTheRulesOfItsFile() throws Exception {
        SchedulerConfig config =
                SchedulerConfig.of(2, 1).withJournal(folder.resolve("journal")).listen("127.0.0.1", FixedPort.free());
        Worker worker = form(config);
        TensorId w = tensor(worker);
        Tensors.push(worker, w, new float[100]).await();
        java.util.Objects.requireNonNull(scheduler).close();
        write(FILE.replace("[worker], functions: [read, pull, push]", "[worker], functions: [read, pull]"));
        scheduler = kept(Scheduler.start(
                config.withSecret(SECRET).withPermissions(file()).withHeartbeatLimit(Duration.ofSeconds(5))));
        await().forever().until(() -> {
            try {
                Tensors.push(worker, w, new float[100]).await();
                return false;
            } catch (PsException e) {
                return e.code() == Code.PERMISSION_DENIED;
            }
        });
        assertThat(Tensors.pull(worker, w)).hasSize(100);
        assertDenied(worker::barrier, "psf.barrier", "worker 0 (training)");
    }
}
