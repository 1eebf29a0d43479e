package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.Initializers;
import io.psf.builtin.Late;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.optimizer.Schedule;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The package of {@code python/} on clusters. Most of its tests are in {@code python/tests}. */
@Timeout(240)
final class PythonTest {
    /** A service, whose jobs have two workers. */
    private static final SchedulerConfig SERVICE = SchedulerConfig.of(2, 2)
            .withLife(new SchedulerConfig.Life(true, Duration.ZERO, Duration.ZERO, Duration.ZERO, null))
            .withMoreWorkers();

    private static final String[] ALL = {"discover", "-t", ".", "-s", "tests"};

    @TempDir
    Path folder;

    private void testPackage(@Nullable Tls tls, TransportConfig over, String... tests) throws IOException {
        String python = Python.with("torch", "numpy");
        try (Nodes nodes = Nodes.start(SERVICE, tls, over, folder.resolve("checkpoints"))) {
            Map<String, String> settings = new HashMap<>(Map.of("PSF_SCHEDULER", nodes.address()));
            if (tls != null) {
                settings.put("PSF_SECRET", Nodes.SECRET);
                settings.put("PSF_TLS_CERTIFICATE", tls.certificate().toString());
                settings.put("PSF_TLS_KEY", tls.key().toString());
                settings.put("PSF_TLS_AUTHORITY", tls.authority().toString());
            }
            List<String> arguments = new ArrayList<>(List.of("-W", "error", "-m", "unittest"));
            arguments.addAll(List.of(tests));
            String printed = Python.run(python, settings, arguments.toArray(String[]::new));
            assertThat(printed).containsPattern("\nOK( \\(skipped=\\d+\\))?\n"); // torch may be missing
        }
    }

    @Test
    void theTestsOfThePackagePassOnACluster() throws IOException {
        testPackage(null, TransportConfig.usual(), ALL);
    }

    @Test
    void theTestsOfThePackagePassOnAClusterWithTlsAndASecret() throws IOException {
        TlsAuthority.Issued issued = new TlsAuthority(folder, "cluster").issue("node");
        Tls tls = new Tls(issued.certificate(), issued.key(), issued.authority());
        testPackage(tls, TransportConfig.usual(), "tests.test_breaks", "tests.test_page");
    }

    @Test
    @Tag("long")
    void testsOfThePackagePassWhileConnectionsAreCut() throws IOException {
        testPackage(null, TransportConfig.usual(), "tests.cuts");
    }

    /** The client's own setting is off: the servers ask for checksums. */
    @Test
    void testsOfThePackagePassOnServersWithChecksums() throws IOException {
        testPackage(null, TransportConfig.usual().withChecksum(true), "tests.test_tensors");
    }

    @Test
    void theTypesOfThePackageAndOfWrittenStubsAreRight() throws IOException {
        assertThat(Python.run(Python.with("mypy"), Map.of(), "-m", "tests.types"))
                .contains("Success: no issues found");
    }

    /** Returns what {@code beside.py} declares. */
    private static List<TensorSpec> declared() {
        List<OptimizerSpec> optimizers = List.of(
                Optimizers.add(2),
                Optimizers.assign(),
                Optimizers.sgd(0.1),
                Optimizers.momentum(0.1, 0.9),
                Optimizers.nesterov(0.1, 0.9),
                Optimizers.adaGrad(0.01),
                Optimizers.rowAdaGrad(0.01),
                Optimizers.rmsProp(1e-4),
                Optimizers.adaDelta(),
                Optimizers.adam(1e-3),
                Optimizers.lazyAdam(1e-3),
                Optimizers.allRowsAdam(1e-3),
                Optimizers.adamW(1e-3),
                Optimizers.lamb(1e-3),
                Optimizers.ftrl(0.1, 1e-7, 12345678.0));
        List<TensorSpec> specs = new ArrayList<>();
        specs.add(TensorSpec.table("table", 5, 2).initializer(Initializers.constant(1)));
        specs.add(TensorSpec.growing("growing", 2)
                .policy(TablePolicy.keepAll().mostRows(1000).expireAfter(Duration.ofHours(1))));
        for (int i = 0; i < optimizers.size(); i++) {
            specs.add(TensorSpec.dense("optimizer " + i, 3).optimizer(optimizers.get(i)));
        }
        specs.add(TensorSpec.dense("options", 3, 2)
                .updates(Updates.MEAN)
                .quorum(2, Late.NEXT)
                .slices(2)
                .wire(FloatType.INT8)
                .storage(FloatType.BFLOAT16)
                .stochasticRounding()
                .initializer(Initializers.xavierUniform(3, 7, 5))
                .optimizer(Optimizers.sgd(0.3)
                        .clipValue(0.5)
                        .weightDecay(1e-5)
                        .skipNonFinite()
                        .schedule(Schedule.cosine(1000, 0.01).warmUp(10))));
        List<TensorSpec> together = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            together.add(TensorSpec.dense(name, 4)
                    .updates(Updates.SUM)
                    .initializer(Initializers.of(new float[] {0.1f, 0.2f, 0.3f, 0.4f})));
        }
        specs.addAll(TensorSpec.clipGlobalNorm(1, together));
        return specs;
    }

    @Test
    void aWorkerInPythonDeclaresPushesAndPullsAsOneInJava() throws Exception {
        String python = Python.with("numpy");
        try (Nodes nodes = Nodes.start(SchedulerConfig.of(2, 2), null, folder)) {
            Process process = Python.start(
                    python,
                    Map.of("PSF_SCHEDULER", nodes.address(), "PSF_ROLE", "worker", "PSF_RANK", "1"),
                    List.of("tests/beside.py"));
            try (Worker worker = Worker.connect(
                            WorkerConfig.of("127.0.0.1", nodes.scheduler().port()));
                    BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.readLine()).isEqualTo("rank 1 of 2");
                worker.barrier(); // after the pushes of the program
                List<TensorId> tensors = Tensors.init(worker, declared());
                float[] rows = new float[6];
                Tensors.pullRows(worker, tensors.get(0), new long[] {4, 0, 2}, rows)
                        .await();
                assertThat(rows).containsExactly(1101, 2201, 2, 2, 1, 1);
                Tensors.pullRows(worker, tensors.get(1), new long[] {1L << 40, 5, -7}, rows)
                        .await();
                assertThat(rows).containsExactly(3, 4, 0, 0, 1, 2);
                Tensors.pushRows(worker, tensors.get(0), new long[] {4, 4}, new float[] {1, 1, 1, 1})
                        .await();
                worker.barrier();
                assertThat(printed.readLine()).isEqualTo("table: [[2.0, 2.0], [1103.0, 2203.0], [1.0, 1.0]]");
                assertThat(printed.readLine()).isEqualTo("growing: [[5.0, 6.0], [1.0, 2.0], [0.0, 0.0]]");
                assertThat(process.waitFor()).isZero();
                assertThat(worker.lost()).isEmpty();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** A service in which another server takes the place of a lost one. */
    private PsCluster healing() {
        return PsCluster.builder()
                .tcp()
                .servers(2)
                .workers(0)
                .asService()
                .checkpoints(folder)
                .serverReturn(Duration.ofMinutes(2))
                .start();
    }

    private static Process worker(PsCluster cluster, String program) throws IOException {
        return Python.start(
                Python.with("numpy"),
                Map.of("PSF_SCHEDULER", "127.0.0.1:" + cluster.scheduler().port(), "PSF_ROLE", "worker"),
                List.of(program));
    }

    /**
     * A worker pushes ones to ones. Then server 1 is lost, and comes back with its slice of the checkpoint. The next
     * push fails, or waits for the server.
     */
    private void losesAServer(Restore restore, String failed, String sums) throws Exception {
        try (PsCluster cluster = healing();
                Client client = cluster.client()) {
            Tensors.init(client, TensorSpec.dense("dense", 10, 4).slices(2).initializer(Initializers.constant(1)));
            ModelCheckpoints.at(client, "m").restore(restore).save(1, Map.of());
            Process process = worker(cluster, "tests/returning.py");
            try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.readLine()).isEqualTo("pushed");
                cluster.servers().get(1).close();
                cluster.restart(1);
                process.outputWriter().append("go on\n").close();
                List<String> lines = printed.lines().toList();
                assertThat(String.join("\n", lines)).contains(failed).contains(sums);
                assertThat(process.waitFor()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void callsWaitForTheServerThatTakesThePlaceOfALostOne() throws Exception {
        losesAServer(Restore.LOST, "", "sums: [2.0, 3.0]");
    }

    @Test
    void aRollbackFailsTheNextCall() throws Exception {
        losesAServer(Restore.ALL, "failed: ROLLED_BACK: a lost node has come back", "sums: [1.0, 2.0]");
    }

    @Test
    void aRollbackIsToldOnceWhateverCallsAreUnderWay() throws Exception {
        try (PsCluster cluster = healing()) {
            Process process = worker(cluster, "tests/rolled_back.py");
            try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8);
                    BufferedWriter told = process.outputWriter(StandardCharsets.UTF_8)) {
                for (int server : new int[] {1, 0}) { // during a prefetch, then during pushes
                    assertThat(printed.readLine()).isEqualTo("saved");
                    cluster.servers().get(server).close();
                    told.append("go on\n").flush();
                    assertThat(printed.readLine()).isEqualTo("sent");
                    cluster.restart(server);
                    told.append("go on\n").flush();
                    assertThat(printed.readLine()).isEqualTo("failed: ROLLED_BACK");
                    assertThat(printed.readLine()).isEqualTo("rows: [1.0]");
                }
                assertThat(process.waitFor()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void aTrainingLoopGoesBackWithAServerThatIsLost() throws Exception {
        try (PsCluster cluster = healing()) {
            Process process = worker(cluster, "tests/training.py");
            try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.lines().anyMatch("trained"::equals)).isTrue();
                cluster.servers().get(1).close();
                cluster.restart(1);
                process.outputWriter().append("go on\n").close();
                assertThat(printed.lines().toList())
                        .contains("steps: 60, position: 60", "sums: [61.0]", "repeated: True");
                assertThat(process.waitFor()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void aLostWorkerDoesNotHangTheRoundsOfTheOther() throws Exception {
        String python = Python.with("torch");
        try (Nodes nodes = Nodes.start(SchedulerConfig.of(2, 2), null, folder)) {
            Map<String, String> settings = Map.of("PSF_SCHEDULER", nodes.address(), "PSF_ROLE", "worker");
            List<String> program = List.of("tests/outer.py");
            Process first = Python.start(python, settings, program);
            Process second = Python.start(python, settings, program);
            try (BufferedReader printed = first.inputReader(StandardCharsets.UTF_8);
                    BufferedReader others = second.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.readLine()).isEqualTo("trained");
                assertThat(others.readLine()).isEqualTo("trained");
                second.destroyForcibly();
                first.outputWriter().append("go on\n").close();
                assertThat(printed.lines().toList())
                        .singleElement()
                        .asString()
                        .matches("loss: 0\\.0\\d\\d, lost: 1, rounds: 100");
                assertThat(first.waitFor()).isZero();
            } finally {
                first.destroyForcibly();
                second.destroyForcibly();
            }
        }
    }
}
