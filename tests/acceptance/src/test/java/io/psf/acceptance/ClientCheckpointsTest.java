package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.psf.api.CallPart;
import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.RequestListener;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.checkpoint.FreezeModelPsf;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.testkit.FaultyStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients use a service without workers, and save and load its model. */
@Timeout(120)
class ClientCheckpointsTest {
    private static final TensorId SUM = TensorId.of("sum");

    @TempDir
    Path folder;

    private PsCluster.Builder service() {
        return PsCluster.builder()
                .servers(3)
                .workers(0)
                .asService()
                .checkpoints(folder)
                .serverReturn(Duration.ofMinutes(2));
    }

    private static void init(ClusterCaller client) {
        Tensors.init(
                client,
                List.of(TensorSpec.dense("sum", 3).optimizer(Optimizers.add()).slices(3)));
    }

    private static void add(ClusterCaller client) {
        Tensors.push(client, SUM, new float[] {1, 1, 1}).await();
    }

    private static float[] sum(ClusterCaller client) {
        return Tensors.pull(client, SUM);
    }

    private static Optional<Long> step(Optional<ModelCheckpoint> loaded) {
        return loaded.map(ModelCheckpoint::step);
    }

    @Test
    void aClientSavesAndAnotherLoadsInALaterService() {
        try (PsCluster cluster = service().start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m").keep(2);
            assertThat(checkpoints.loadLatest()).isEmpty();
            for (long step = 1; step <= 3; step++) {
                add(client);
                checkpoints.save(step, Map.of("position", "" + step));
            }
            assertThat(checkpoints.list()).extracting(ModelCheckpoint::step).containsExactly(3L, 2L);
            assertThat(ModelCheckpoints.newest(client, List.of("m", "none", "../m")))
                    .satisfiesExactly(newest -> {
                        assertThat(newest.model() + newest.step()).isEqualTo("m3");
                        assertThat(newest.saved())
                                .isBetween(
                                        Instant.now().minusSeconds(600),
                                        Instant.now().plusSeconds(1));
                    });
            checkpoints.save(3, Map.of("position", "again"));
            assertThat(checkpoints.latest().orElseThrow().record(0)).isEqualTo(Map.of("position", "again"));
            assertThat(checkpoints.load(2).record(0)).isEqualTo(Map.of("position", "2"));
            assertThat(sum(client)).containsExactly(2, 2, 2);
        }
        try (PsCluster cluster = service().servers(2).start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m");
            assertThat(step(checkpoints.loadLatest())).contains(3L);
            assertThat(sum(client)).containsExactly(3, 3, 3);
            assertThatThrownBy(() -> checkpoints.load(1)).hasMessageContaining("STORAGE");
        }
    }

    /** A job of workers and a client continue each other's checkpoints. */
    @Test
    void aJobContinuesFromTheCheckpointOfAClient() {
        try (PsCluster cluster = service().start();
                Client client = cluster.client()) {
            init(client);
            add(client);
            ModelCheckpoints.at(client, "m").save(1, Map.of("by", "client"));
            try (Worker worker = cluster.join(-1)) {
                ModelCheckpoint loaded =
                        ModelCheckpoints.at(worker, "m").loadLatest().orElseThrow();
                assertThat(loaded.record(0)).isEqualTo(Map.of("by", "client"));
                add(worker);
                ModelCheckpoints.at(worker, "m").save(2, Map.of());
            }
            await().forever().until(() -> client.workers() == 0);
            add(client);
            assertThat(step(ModelCheckpoints.at(client, "m").loadLatest())).contains(2L);
            assertThat(sum(client)).containsExactly(2, 2, 2);
        }
    }

    @Test
    void aDamagedNewestStepIsSkipped() throws IOException {
        try (PsCluster cluster = service().start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m").incremental(3);
            for (long step = 1; step <= 2; step++) {
                add(client);
                checkpoints.save(step, Map.of());
            }
            damage(folder.resolve("m/step-000000000002"));
            assertThat(step(checkpoints.loadLatest())).contains(1L);
            assertThat(sum(client)).containsExactly(1, 1, 1);
            add(client);
            checkpoints.save(3, Map.of());
            assertThat(step(checkpoints.loadLatest())).contains(3L);
            assertThat(sum(client)).containsExactly(2, 2, 2);
        }
    }

    /** Flips a bit in the middle of each file of rows. Their lengths remain. */
    private static void damage(Path step) throws IOException {
        List<Path> images;
        try (Stream<Path> files = Files.walk(step)) {
            images = files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().matches("manifest.*"))
                    .toList();
        }
        assertThat(images).isNotEmpty();
        for (Path image : images) {
            byte[] bytes = Files.readAllBytes(image);
            bytes[bytes.length / 2] ^= 1;
            Files.write(image, bytes);
        }
    }

    @Test
    void besideWorkersAClientIsRefused() {
        try (PsCluster cluster = service().workers(2).start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m");
            for (Consumer<ModelCheckpoints> each : List.<Consumer<ModelCheckpoints>>of(
                    all -> all.save(1, Map.of()), ModelCheckpoints::loadLatest, all -> all.load(1))) {
                PsException e = catchThrowableOfType(PsException.class, () -> each.accept(checkpoints));
                assertThat(e.code()).isEqualTo(Code.BAD_REQUEST);
                assertThat(e)
                        .hasMessageContaining("of model \"m\": by a client, beside 2 workers")
                        .hasMessageContaining("by a client where there are none");
            }
            assertThat(checkpoints.list()).isEmpty();
            assertThatThrownBy(() -> checkpoints.everySteps(5).run(10, step -> {}))
                    .hasMessageContaining("rank: of a client");
            cluster.workers().forEach(Worker::close);
            await().forever().until(() -> client.workers() == 0);
            await().ignoreExceptions()
                    .until(() -> step(checkpoints.loadLatest()).isEmpty());
            checkpoints.save(1, Map.of());
            assertThat(checkpoints.list()).hasSize(1);
        }
    }

    /**
     * The workers may train and save at once: what the client has begun ends in an error, and changes no checkpoint.
     */
    @Test
    void aWorkerThatJoinsEndsTheTurnOfAClient() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch isWriting = new CountDownLatch(1);
        CheckpointStore slow = new FaultyStore(new FolderStore(folder), name -> {
            if (name.endsWith(".index")) {
                isWriting.countDown();
                await().until(() -> mayEnd.getCount() == 0);
            }
        });
        try (PsCluster cluster = service().checkpoints(slow).start();
                Client client = cluster.client();
                Client other = cluster.client()) {
            init(client);
            CompletableFuture<PsException> save =
                    failure(() -> ModelCheckpoints.at(client, "m").save(1, Map.of()));
            isWriting.await();
            CompletableFuture<PsException> load =
                    failure(() -> ModelCheckpoints.at(other, "m").loadLatest());
            try (Worker worker = cluster.join(-1)) {
                mayEnd.countDown();
                assertThat(save.join())
                        .hasMessageContaining("save of step 1 of model \"m\": by a client, beside 1 worker ");
                assertThat(load.join())
                        .hasMessageContaining("load of the newest step of model \"m\": by a client, beside");
                init(worker);
                ModelCheckpoints.at(worker, "m").save(1, Map.of());
            }
            assertThat(ModelCheckpoints.at(client, "m").list()).hasSize(1);
        }
    }

    private static CompletableFuture<PsException> failure(ThrowingCallable work) {
        return CompletableFuture.supplyAsync(() -> catchThrowableOfType(PsException.class, work));
    }

    /** Clients that save steps at once, some of them the same: what is reported as saved is there, and complete. */
    @Test
    void clientsThatSaveTheSameModelAtOnceTakeTurns() {
        try (PsCluster cluster = service().start()) {
            List<Client> clients = Stream.generate(cluster::client).limit(4).toList();
            init(clients.get(0));
            AtomicBoolean isOver = new AtomicBoolean();
            CompletableFuture<Void> pushes = CompletableFuture.runAsync(() -> {
                try (Client pushing = cluster.client()) {
                    while (!isOver.get()) {
                        add(pushing);
                    }
                }
            });
            List<CompletableFuture<Void>> saves = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                ModelCheckpoints checkpoints =
                        ModelCheckpoints.at(clients.get(i), "m").keep(100).incremental(2);
                int parity = i % 2;
                saves.add(CompletableFuture.runAsync(() -> {
                    for (long step = 1; step <= 10; step++) {
                        checkpoints.save(2 * step + parity, Map.of());
                    }
                }));
            }
            saves.forEach(CompletableFuture::join);
            isOver.set(true);
            pushes.join();
            ModelCheckpoints checkpoints = ModelCheckpoints.at(clients.get(0), "m");
            List<Long> steps =
                    checkpoints.list().stream().map(ModelCheckpoint::step).toList();
            assertThat(steps)
                    .containsExactlyElementsOf(IntStream.rangeClosed(2, 21)
                            .mapToObj(step -> 23L - step)
                            .toList());
            steps.forEach(step -> assertThat(checkpoints.load(step).step()).isEqualTo(step));
            clients.forEach(Client::close);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void theSlicesOfAServerThatComesBackAreThoseOfTheCheckpoint(TransportConfig.Kind kind) {
        try (PsCluster cluster =
                        service().over(new TransportConfig(kind, Duration.ZERO)).start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m").restore(Restore.LOST);
            add(client);
            checkpoints.save(1, Map.of());
            add(client);
            cluster.servers().get(2).close();
            cluster.restart(2);
            assertThat(sum(client)).containsExactly(2, 2, 1);
            assertThat(client.rollback()).isZero();
            add(client);
            checkpoints.save(2, Map.of());
            assertThat(step(checkpoints.loadLatest())).contains(2L);
            assertThat(sum(client)).containsExactly(3, 3, 2);
            assertThat(client.lost()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportConfig.Kind.class)
    void aClientSeesARollbackAndLoadsTheCheckpointOnAllServers(TransportConfig.Kind kind) {
        try (PsCluster cluster =
                        service().over(new TransportConfig(kind, Duration.ZERO)).start();
                Client driver = cluster.client();
                Client executor = cluster.client()) {
            init(driver);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(driver, "m");
            add(executor);
            checkpoints.save(1, Map.of());
            long before = driver.rollback();
            assertThat(before).isZero();
            for (int lost = 0; lost < 3; lost++) {
                add(executor);
                assertThat(driver.rollback()).isEqualTo(before);
                cluster.servers().get(lost).close();
                CompletableFuture<Void> push = CompletableFuture.runAsync(() -> add(executor));
                cluster.restart(lost);
                push.join();
                long now = driver.rollback();
                assertThat(now)
                        .as("after the answer of the server that came back")
                        .isGreaterThan(before);
                assertThat(executor.rollback()).isEqualTo(now);
                assertThat(sum(driver)[lost])
                        .as("a push since the checkpoint is undone")
                        .isEqualTo(2);
                before = now;
                assertThat(step(checkpoints.loadLatest())).contains(1L);
                assertThat(sum(executor)).containsExactly(1, 1, 1);
                assertThat(driver.rollback()).isEqualTo(before);
            }
        }
    }

    /** The rollback is that of another model: there is nothing to go back to, and nothing that the save would mix. */
    @Test
    void aModelWithoutACheckpointIsSavedAfterARollbackOfAnother() {
        try (PsCluster cluster = service().start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints.at(client, "first").save(1, Map.of());
            cluster.servers().get(1).close();
            cluster.restart(1);
            ModelCheckpoints second = ModelCheckpoints.at(client, "second");
            assertRolledBack(second);
            assertThat(second.loadLatest()).isEmpty();
            second.save(1, Map.of());
            assertThat(step(second.latest())).contains(1L);
        }
    }

    @Test
    void aModelThatIsDeletedHasNoCheckpointAndIsNoLongerLoaded() {
        try (PsCluster cluster = service().start();
                Client client = cluster.client()) {
            init(client);
            ModelCheckpoints deleted = ModelCheckpoints.at(client, "deleted").keep(2);
            ModelCheckpoints kept = ModelCheckpoints.at(client, "kept");
            add(client);
            kept.save(1, Map.of());
            add(client);
            deleted.save(1, Map.of());
            deleted.save(2, Map.of());
            deleted.delete();
            deleted.delete();
            assertThat(deleted.list()).isEmpty();
            cluster.servers().get(1).close();
            cluster.restart(1);
            assertThat(sum(client)).containsExactly(2, 1, 2);
            assertThat(step(kept.loadLatest())).contains(1L);
        }
    }

    /** Processes: a server is killed with SIGKILL while a client pushes, and is started again. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource(Restore.class)
    void aKilledServerComesBackWithTheSlicesOfTheCheckpoint(Restore mode) throws Exception {
        Map<String, String> settings = Map.of("PSF_LIFETIME", "service", "PSF_WORKERS", "1");
        try (TrainingProcesses processes = new TrainingProcesses(folder, settings, 0, Duration.ofSeconds(100))) {
            processes.start("scheduler", Map.of());
            for (String server : TrainingProcesses.SERVERS) {
                processes.start(server, Map.of());
            }
            try (Client client = Client.connect(WorkerConfig.of("127.0.0.1", processes.port()))) {
                init(client);
                ModelCheckpoints checkpoints = ModelCheckpoints.at(client, "m").restore(mode);
                add(client);
                checkpoints.save(1, Map.of());
                add(client);
                processes.kill("server 1");
                CompletableFuture<Void> push = CompletableFuture.runAsync(() -> add(client));
                processes.start("server 1", Map.of());
                push.join();
                assertThat(sum(client)).containsExactly(3, 2, 3);
                assertThat(client.rollback() > 0).isEqualTo(mode == Restore.ALL);
                if (mode == Restore.ALL) {
                    assertRolledBack(checkpoints);
                    assertThat(step(checkpoints.loadLatest())).contains(1L);
                    assertThat(sum(client)).containsExactly(1, 1, 1);
                }
                checkpoints.save(2, Map.of());
                client.end();
            }
        }
    }

    /** The slices of the server that has come back are older than the others: no checkpoint may have both. */
    @Test
    void noClientSavesAfterARollbackUntilOneHasLoaded() throws InterruptedException {
        try (PsCluster cluster = service().start();
                Client driver = cluster.client()) {
            init(driver);
            add(driver);
            ModelCheckpoints checkpoints = ModelCheckpoints.at(driver, "m").keep(1);
            checkpoints.save(1, Map.of());
            add(driver);
            CountDownLatch isLost = new CountDownLatch(1);
            cluster.servers().get(1).listen(new RequestListener() {
                @Override
                public void queued(CallPart request, long bytes, int depth) { // the save is under way
                    if (request.function().equals(FreezeModelPsf.NAME) && isLost.getCount() > 0) {
                        var unused = CompletableFuture.runAsync(() -> {
                            cluster.servers().get(1).close();
                            isLost.countDown();
                        });
                        try {
                            isLost.await(); // before the server has a part of the save
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                }
            });
            CompletableFuture<PsException> save = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(PsException.class, () -> checkpoints.save(2, Map.of())));
            isLost.await();
            cluster.restart(1);
            assertThat(save.join().code()).isEqualTo(Code.ROLLED_BACK);
            assertThat(checkpoints.list()).extracting(ModelCheckpoint::step).containsExactly(1L);
            try (Client later = cluster.client()) {
                ModelCheckpoints ofLater = ModelCheckpoints.at(later, "m");
                assertRolledBack(ofLater);
                assertRolledBack(checkpoints);
                assertThat(step(checkpoints.loadLatest())).contains(1L);
                add(driver);
                checkpoints.save(2, Map.of());
                ofLater.save(3, Map.of());
            }
            assertThat(step(checkpoints.loadLatest())).contains(3L);
            assertThat(sum(driver)).containsExactly(2, 2, 2);
        }
    }

    private static void assertRolledBack(ModelCheckpoints checkpoints) {
        PsException e = catchThrowableOfType(PsException.class, () -> checkpoints.save(2, Map.of()));
        assertThat(e.code()).isEqualTo(Code.ROLLED_BACK);
        assertThat(e).hasMessageContaining("ModelCheckpoints.loadLatest");
    }

    /** Another client has loaded: this one does not know what of its work is undone. */
    @Test
    void aClientThatHasNotLoadedSinceARollbackSavesNothing() {
        try (PsCluster cluster = service().start();
                Client first = cluster.client();
                Client second = cluster.client()) {
            init(first);
            ModelCheckpoints.at(first, "m").save(1, Map.of());
            cluster.servers().get(0).close();
            cluster.restart(0);
            assertThat(step(ModelCheckpoints.at(second, "m").loadLatest())).contains(1L);
            assertRolledBack(ModelCheckpoints.at(first, "m"));
            ModelCheckpoints.at(second, "m").save(2, Map.of());
            assertThat(second.role()).isEqualTo(Role.CLIENT);
        }
    }

    /** A driver's program, while servers come and go: the sum is that of an undisturbed run. */
    @Test
    void aDriverRepeatsItsWorkUntilNothingOfItIsUndone() {
        int steps = 100;
        try (PsCluster cluster = service().start();
                Client driver = cluster.client()) {
            init(driver);
            AtomicBoolean isOver = new AtomicBoolean();
            List<Client> executors = Stream.generate(cluster::client).limit(2).toList();
            CompletableFuture<Void> losses = CompletableFuture.runAsync(() -> {
                await().forever()
                        .until(() -> !ModelCheckpoints.at(driver, "m").list().isEmpty());
                for (int i = 0; i < 12 && !isOver.get(); i++) {
                    cluster.servers().get(i % 3).close();
                    cluster.restart(i % 3);
                }
            });
            ModelCheckpoints checkpoints = ModelCheckpoints.at(driver, "m");
            long known = driver.rollback();
            checkpoints.save(0, Map.of());
            long step = 0;
            boolean isSettled = false;
            while (step < steps || !isSettled) {
                if (step < steps) {
                    executors.stream()
                            .map(each -> CompletableFuture.runAsync(() -> add(each)))
                            .toList()
                            .forEach(CompletableFuture::join);
                    step++;
                }
                try {
                    checkpoints.save(step, Map.of());
                    boolean areLossesOver = losses.isDone();
                    long now = driver.rollback();
                    isSettled = areLossesOver && now == known;
                    if (now == known) {
                        continue;
                    }
                    known = now;
                } catch (PsException e) {
                    assertThat(e).returns(Code.ROLLED_BACK, PsException::code);
                }
                step = reloaded(checkpoints);
            }
            losses.join();
            isOver.set(true);
            assertThat(sum(driver)).containsExactly(2 * steps, 2 * steps, 2 * steps);
            executors.forEach(Client::close);
        }
    }

    private static long reloaded(ModelCheckpoints checkpoints) {
        while (true) {
            try {
                return step(checkpoints.loadLatest()).orElseThrow();
            } catch (PsException e) { // another server has come back meanwhile
                assertThat(e).returns(Code.ROLLED_BACK, PsException::code);
            }
        }
    }
}
