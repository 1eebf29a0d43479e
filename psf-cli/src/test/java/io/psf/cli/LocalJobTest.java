package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.PsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class LocalJobTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void aJobWhoseWorkersConnectEndsByItselfWithZero() {
        try (LocalJob job =
                job().servers(2).workers(2).workerMain(Child.class, "connect").start()) {
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines)
                .contains("[worker 0] connected with rank 0", "[worker 1] connected with rank 1")
                .anyMatch(line -> line.startsWith("[scheduler] "))
                .noneMatch(line -> line.startsWith("[psf] "))
                .as("what libraries announce of themselves")
                .noneMatch(line -> line.contains("WARN") || line.contains("Chronicle"));
    }

    @Test
    void everyNodeIsToldItsPlaceWhateverTheEnvironmentSaysOfAnother() {
        try (LocalJob job = job().workers(2)
                .workerMain(Child.class, "exit", "0")
                .toFollow(Duration.ofMillis(10))
                .endOnFailure(false) // the workers end before the cluster forms, one perhaps a second after the other
                .start()) {
            assertThat(job.awaitExit(SOON)).isTrue();
            assertThat(job.exitCode()).isZero();
        }
        assertThat(lines)
                .contains("[worker 0] rank 0 of 2", "[worker 1] rank 1 of 2")
                .anyMatch(line -> line.startsWith("[psf] scheduler, server 0 had not ended"));
    }

    @Test
    void nodesShowTheirPagesOnPortsOfTheirOwn(@TempDir Path folder) throws IOException {
        Map<String, String> given = Map.of("PSF_METRICS", "9100", "PSF_HEALTH", "0.0.0.0:4090");
        assertThat(placed("scheduler", given)).containsAllEntriesOf(given);
        assertThat(placed("server", given))
                .containsEntry("PSF_METRICS", "127.0.0.1:0")
                .containsEntry("PSF_HEALTH", "0.0.0.0:0");
        Path file = Files.writeString(folder.resolve("psf.yaml"), "PSF_METRICS: 9100\nPSF_HEALTH: '[::1]:4090'\n");
        assertThat(placed("server", Map.of("PSF_CONFIG", file.toString())))
                .containsEntry("PSF_METRICS", "127.0.0.1:0")
                .containsEntry("PSF_HEALTH", "[::1]:0");
        assertThat(placed("worker", given)).doesNotContainKeys("PSF_METRICS", "PSF_HEALTH");
        assertThat(placed("server", Map.of())).doesNotContainKeys("PSF_METRICS", "PSF_HEALTH");
    }

    private Map<String, String> placed(String role, Map<String, String> environment) {
        Map<String, String> variables = new HashMap<>(environment);
        job().place(variables, role, 0, "127.0.0.1:4080");
        return variables;
    }

    /** Of all addresses, and of IPv6 if this machine has it. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, 127.0.0.1:", "[::1], [::1]:"})
    void nodesConnectToTheSchedulerOfAHost(String host, String shown) {
        assumeTrue(canListen(host), "no " + host + " on this machine");
        try (LocalJob job = job().scheduler(host + ":0")
                .environment(Map.of("PSF_INSECURE", "true"))
                .workerMain(Child.class, "connect")
                .start()) {
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
            assertThat(job.schedulerAddress()).startsWith(shown);
        }
    }

    private static boolean canListen(String host) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void flagsOfWorkersReachTheirJvms() {
        try (LocalJob job = job().workerMain(Child.class, "property", "psf.flag")
                .workerFlags(List.of("-Dpsf.flag=given"))
                .toFollow(Duration.ofMillis(10))
                .start()) {
            assertThat(job.awaitExit(SOON)).isTrue();
        }
        assertThat(lines).contains("[worker 0] psf.flag=given");
    }

    @Test
    void theFirstWorkerThatFailsEndsTheJobWithItsExitCode() {
        List<ProcessHandle> handles;
        try (LocalJob job = job().servers(2)
                .workers(3)
                .workerMain(Child.class, "exit-if-rank", "1", "42")
                .start()) {
            handles = handles(job, 2, 3);
            assertThat(job.awaitExit(SOON)).isTrue();
            assertThat(job.exitCode()).isEqualTo(42);
        }
        assertThat(handles).noneMatch(ProcessHandle::isAlive);
        assertThat(lines)
                .contains("[psf] worker 1 ended with exit code 42")
                .endsWith(
                        "[psf] the job has failed: worker 1 ended first, with exit code 42 (expected: 0; its lines above say"
                                + " why)");
    }

    @Tag("long")
    @Test
    void aWorkerThatEndsWithZeroBeforeItJoinsEndsTheJobWithASentence() {
        List<ProcessHandle> handles;
        try (LocalJob job = job().workers(2)
                .workerMain(Child.class, "connect-unless-rank", "1")
                .start()) {
            handles = handles(job, 1, 2);
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).isEqualTo(1);
        }
        assertThat(handles).noneMatch(ProcessHandle::isAlive);
        assertThat(lines)
                .anyMatch(
                        line -> line.startsWith("[psf] worker 1 ended with exit code 0 before the cluster was ready"));
    }

    @Tag("long")
    @Test
    void aJobWhoseWorkersAllEndWithZeroBeforeTheyJoinHasFailed() {
        try (LocalJob job = job().workerMain(Child.class, "exit", "0").start()) {
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).isEqualTo(1);
        }
        assertThat(lines)
                .anyMatch(
                        line -> line.startsWith("[psf] worker 0 ended with exit code 0 before the cluster was ready"));
    }

    @Test
    void aServerThatIsKilledEndsTheJobWithAnError() {
        try (LocalJob job = job().workerMain(Child.class, "sleep").start()) {
            job.kill("server 0");
            assertThat(job.awaitExit(SOON)).isTrue();
            assertThat(job.exitCode()).isEqualTo(137);
        }
        assertThat(lines.get(lines.size() - 1))
                .startsWith(
                        "[psf] the job has failed: server 0 ended first, with exit code 137, as if killed with SIGKILL"
                                + " (expected: running until the workers end; ")
                .contains("PSF_SERVER_RETURN");
    }

    @Test
    void aServerThatIsKilledIsStartedAgainIfCallsWaitForIt(@TempDir Path folder) throws IOException {
        Path over = folder.resolve("over");
        try (LocalJob job = job().servers(2)
                .environment(Map.of("PSF_SERVER_RETURN", "2m", "PSF_CHECKPOINTS", folder.toString()))
                .replaceServers()
                .workerMain(Child.class, "push-after-a-save", over.toString())
                .start()) {
            await().forever().until(() -> lines.contains("[worker 0] saved"));
            job.kill("server 1");
            Files.createFile(over); // the push that is under way waits for the other server
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines).containsOnlyOnce("[psf] server 1 ended with exit code 137, and is started again");
    }

    @Test
    void aNodeThatIsKilledLeavesTheOthersAloneWhenThatIsAsked() {
        try (LocalJob job = job().workers(2)
                .workerMain(Child.class, "sleep")
                .endOnFailure(false)
                .start()) {
            job.kill("worker 0");
            await().until(() -> lines.contains("[psf] worker 0 ended with exit code 137"));
            assertThat(job.process("worker 1").isAlive()).isTrue();
            assertThatThrownBy(job::exitCode).isInstanceOf(IllegalStateException.class);
        }
    }

    @Tag("long")
    @Test
    void closingEndsEverythingEvenWhatRefusesAndWhatWorkersHaveStarted() {
        List<ProcessHandle> handles;
        try (LocalJob job = job().workerMain(Child.class, "refuse-to-end").start();
                LocalJob other = job().workerMain(Child.class, "beget").start()) {
            await().atMost(SOON).until(() -> lines.contains("[worker 0] stubborn") && begotten().length > 0);
            handles = new ArrayList<>(handles(job, 1, 1));
            handles.addAll(handles(other, 1, 1));
            ProcessHandle.of(begotten()[0]).ifPresent(handles::add);
            assertThat(handles).hasSize(7);
        }
        await().until(() -> handles.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Tag("long")
    @Test
    void nodesOfPsfEndWhenTheJvmThatStartedThemIsKilled() throws IOException {
        List<String> command = new ArrayList<>(List.of(NodeJvm.java(), "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Child.class.getName(), "run-a-job"));
        Process parent = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<ProcessHandle> handles = new ArrayList<>();
        try (BufferedReader reader = parent.inputReader()) {
            String line = reader.readLine();
            for (; line != null && !line.equals("all started"); line = reader.readLine()) {
                if (line.startsWith("pid ")) {
                    ProcessHandle.of(Long.parseLong(line.substring(4))).ifPresent(handles::add);
                }
            }
        }
        assertThat(handles).hasSize(4);
        ProcessHandle worker = handles.remove(3);

        parent.destroyForcibly();

        await().atMost(SOON).until(() -> handles.stream().noneMatch(ProcessHandle::isAlive));
        worker.destroyForcibly();
    }

    @Test
    void nothingIsLeftBehindWhenTheJvmThatStartedItIsToldToEnd() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(NodeJvm.java(), "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Child.class.getName(), "run-a-job"));
        Process parent = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<ProcessHandle> handles = new ArrayList<>();
        try (BufferedReader reader = parent.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("pid ")) {
                    ProcessHandle.of(Long.parseLong(line.substring(4))).ifPresent(handles::add);
                } else if (line.equals("all started")) {
                    parent.toHandle().destroy();
                }
            }
        }

        assertThat(parent.waitFor()).isEqualTo(143);
        assertThat(handles).hasSize(4).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void aProgramThatIsNotThereIsOneSentenceAndLeavesNothing() {
        assertThatThrownBy(
                        () -> job().workerCommand(List.of("/no/such/program")).start())
                .isInstanceOf(PsException.class)
                .hasMessageStartingWith("CONFIGURATION: /no/such/program: cannot be run as worker 0");
    }

    @Test
    void aSchedulerThatDoesNotComeUpIsOneSentence() {
        assertThatThrownBy(() -> job().environment(Map.of("PSF_LANES", "none")).start())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("scheduler: ended with exit code 2 before it listened: psf: PSF_LANES: none");
    }

    @Test
    void aJobHasAServerAndAWorkerAtLeast() {
        assertThatThrownBy(() -> job().servers(0).start()).hasMessage("CONFIGURATION: servers: 0 (expected: >= 1)");
        assertThatThrownBy(() -> job().workers(0).start()).hasMessage("CONFIGURATION: workers: 0 (expected: >= 1)");
    }

    private LocalJobBuilder job() {
        return LocalJob.builder().onLine((node, line) -> lines.add("[" + node + "] " + line));
    }

    private long[] begotten() {
        String prefix = "[worker 0] begot ";
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .mapToLong(line -> Long.parseLong(line.substring(prefix.length())))
                .toArray();
    }

    private static List<ProcessHandle> handles(LocalJob job, int servers, int workers) {
        Stream<String> names = Stream.of(
                        Stream.of("scheduler"),
                        Stream.iterate(0, i -> i + 1).limit(servers).map(i -> "server " + i),
                        Stream.iterate(0, i -> i + 1).limit(workers).map(i -> "worker " + i))
                .flatMap(part -> part);
        return names.map(name -> job.process(name).toHandle()).toList();
    }
}
