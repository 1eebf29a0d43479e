package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.cli.LocalJob;
import io.psf.cli.LocalJobBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters of real processes: they train, and they end when one of them is killed. */
@Timeout(300)
final class ProcessesTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private LocalJobBuilder job(String work) {
        return LocalJob.builder()
                .servers(2)
                .workers(2)
                .workerMain(WorkerMain.class, work)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "2s"))
                .onLine((node, line) -> lines.add(node + ": " + line));
    }

    private long count(String text) {
        return lines.stream().filter(line -> line.contains(text)).count();
    }

    private void awaitLines(int n, String text) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(count(text))
                        .as("lines with \"%s\" of:%n%s", text, String.join("\n", lines))
                        .isEqualTo(n));
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"dense", "sparse"})
    void twoWorkersTrainOnTwoServers(String work) {
        try (LocalJob job = job(work).start()) {
            assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).as(String.join("\n", lines)).isZero();
        }
        assertThat(count(": DONE")).isEqualTo(2);
        assertThat(lines)
                .anyMatch(line -> line.startsWith("scheduler: ") && line.contains("server at 127.0.0.1:"))
                .anyMatch(line ->
                        line.startsWith("scheduler: ") && line.contains("cluster is ready: 2 servers and 2 workers"))
                .anyMatch(line -> line.startsWith("worker 1: ") && line.contains("worker has rank 1 of 2"));
    }

    /** {@code -Dpsf.clusters=50} for more of them. */
    @Tag("long")
    @Test
    void clustersOfProcessesStartServeAndEndOneAfterAnother() {
        int clusters = Integer.getInteger("psf.clusters", 3);
        for (int i = 0; i < clusters; i++) {
            lines.clear();
            try (LocalJob job = job("hello").start()) {
                assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
                assertThat(job.exitCode()).as(String.join("\n", lines)).isZero();
            }
            assertThat(count("PULLED [5.0, 5.0")).isEqualTo(2);
        }
    }

    @Tag("long")
    @Test
    void whatTwoServersHaveSavedThreeLoad(@TempDir Path folder) {
        Map<String, String> environment = Map.of("PSF_CHECKPOINTS", folder.toString());
        for (LocalJobBuilder each : List.of(job("save"), job("load").servers(3))) {
            try (LocalJob job = each.environment(environment).start()) {
                assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
                assertThat(job.exitCode()).as(String.join("\n", lines)).isZero();
            }
        }
        List<String> pulled =
                lines.stream().filter(line -> line.contains("PULLED")).toList();
        assertThat(pulled).hasSize(2);
        assertThat(pulled.get(1)).isEqualTo(pulled.get(0));
    }

    @Test
    void workersOfAKilledServerGetAnErrorThatNamesIt() {
        try (LocalJob job = job("pull").endOnFailure(false).start()) {
            awaitLines(2, ": READY");
            job.kill("server 1");
            awaitLines(2, ": FAILED UNAVAILABLE: ");
            assertThat(lines.stream().filter(line -> line.contains("FAILED")))
                    .allMatch(line -> line.contains("server 1 (127.0.0.1:") && line.contains("tensor \"w\""));
            assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
            assertThat(count("lost server 1 (127.0.0.1:")).isPositive();
        }
    }

    @Tag("long")
    @Test
    void workersOfAServerThatStandsStillGetAnErrorThatNamesIt() throws IOException, InterruptedException {
        try (LocalJob job = job("pull").endOnFailure(false).start()) {
            awaitLines(2, ": READY");
            signal("STOP", job.process("server 0"));
            awaitLines(2, ": FAILED UNAVAILABLE: lost server 0 (127.0.0.1:");
            assertThat(lines.stream().filter(line -> line.contains("FAILED")))
                    .allMatch(line -> line.contains("no heartbeat for 2000 ms"));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"push", "ssp"})
    void theOthersGoOnWhenAWorkerIsKilled(String work) {
        try (LocalJob job = job(work).endOnFailure(false).start()) {
            awaitLines(2, ": READY");
            job.kill("worker 1");
            awaitLines(1, ": DONE");
            assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
            assertThat(count("lost worker 1")).isPositive();
        }
    }

    /**
     * The job's process is killed before the cluster has formed: its workers do not wait for the rest of the cluster.
     */
    @Tag("long")
    @Test
    void aWorkerOfAKilledJobEndsBeforeTheClusterHasFormed(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("worker.log");
        Process job = new ProcessBuilder("sleep", "600").start();
        ProcessBuilder worker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerMain.class.getName(),
                        "hello")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        worker.environment().put("PSF_SCHEDULER", "127.0.0.1:" + unusedPort());
        worker.environment().put("PSF_PARENT", job.pid() + "");
        Process waiting = worker.start();
        try {
            await().atMost(SOON).until(() -> Files.readString(log).contains("connecting to the scheduler"));
            assertThat(waiting.isAlive()).isTrue();
            job.destroyForcibly();
            assertThat(waiting.waitFor(20, TimeUnit.SECONDS)).as("ended").isTrue();
            assertThat(log).content().contains("process " + job.pid() + ", which started this node, has ended");
        } finally {
            waiting.destroyForcibly();
            job.destroyForcibly();
        }
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A server leads the save. */
    @Tag("long")
    @Test
    void aWorkerThatIsKilledDuringASaveDoesNotFailIt(@TempDir Path folder) {
        try (LocalJob job = job("model")
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "2s", "PSF_CHECKPOINTS", folder.toString()))
                .endOnFailure(false)
                .start()) {
            Path step = folder.resolve("run/step-000000000002");
            await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(() -> KilledSaveTest.isWriting(step));
            job.kill("worker 1");
            awaitLines(1, "worker 0: SAVED [3 {rank=alone}{rank=1}, 2 {rank=0}{rank=1}, 1 {rank=0}{rank=1}]");
            assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
        }
        assertThat(KilledSaveTest.isWriting(folder)).isFalse();
    }

    @Tag("long")
    @Test
    void everybodyEndsWhenTheSchedulerIsKilled() {
        try (LocalJob job = job("pull").endOnFailure(false).start()) {
            awaitLines(2, ": READY");
            job.kill("scheduler");
            awaitLines(2, ": FAILED UNAVAILABLE: lost the scheduler");
            assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
        }
    }

    /**
     * Sends a signal, by the shell's kill, since a machine may lack the program. Waits until each thread has stopped if
     * it is STOP: the signal alone does not. Does nothing if the process has ended.
     */
    static void signal(String name, Process process) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .start()
                .waitFor();
        assertThat(exit == 0 || process.waitFor(SOON.toMillis(), TimeUnit.MILLISECONDS))
                .as("kill -%s of a process that runs", name)
                .isTrue();
        if (name.equals("STOP")) {
            await().atMost(SOON).until(() -> !process.isAlive() || stopped(process.pid()));
        }
    }

    private static boolean stopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.allMatch(ProcessesTest::stopped);
        } catch (IOException | UncheckedIOException e) { // the process has just ended
            return false;
        }
    }

    private static boolean stopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T'; // the state follows the name, which may have spaces
        } catch (IOException e) {
            return true; // the thread has ended
        }
    }
}
