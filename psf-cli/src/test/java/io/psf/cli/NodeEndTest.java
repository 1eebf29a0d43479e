package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are told to end, and those that ask how they are. */
@Timeout(120)
class NodeEndTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private LocalJobBuilder job() {
        return LocalJob.builder().endOnFailure(false).onLine((node, line) -> lines.add("[" + node + "] " + line));
    }

    private void awaitLine(String pattern) {
        await().atMost(SOON).untilAsserted(() -> assertThat(lines).anyMatch(line -> line.matches("(?s)" + pattern)));
    }

    private static void terminate(LocalJob job, String node) {
        job.process(node).toHandle().destroy();
    }

    private static int exitCode(LocalJob job, String node) throws InterruptedException {
        assertThat(job.process(node).waitFor(30, TimeUnit.SECONDS)).as(node).isTrue();
        return job.process(node).exitValue();
    }

    private static String psf(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(NodeJvm.command(System.getProperty("java.class.path"), List.of(), arguments));
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + ": " + said.strip();
    }

    /** Returns where a node answers probes. */
    private String probes(String node) {
        Pattern pattern = Pattern.compile("\\[" + node + "] .*answers /live, /ready, /metrics at (\\S+)");
        return await().atMost(SOON)
                .until(
                        () -> lines.stream()
                                .map(pattern::matcher)
                                .filter(Matcher::matches)
                                .map(found -> found.group(1))
                                .findFirst(),
                        java.util.Optional::isPresent)
                .orElseThrow();
    }

    private static String health(String node) {
        Cli.Said said = Cli.run("health", "--node", node);
        return said.exit() + ": " + said.out().strip();
    }

    @Test
    void aServerAnswersTheCallsThatItHasAndEndsWithZero() throws Exception {
        Path go = folder.resolve("go");
        try (LocalJob job = job().servers(2)
                .workers(2)
                .environment(Map.of("PSF_HEALTH", "127.0.0.1:0"))
                .workerMain(Child.class, "one-round", go.toString())
                .start()) {
            awaitLine("\\[worker 0] pushes");
            assertThat(health(probes("server 1"))).isEqualTo("0: healthy: server 1: serves its slices");
            terminate(job, "server 1");
            awaitLine("\\[server 1] .*server 1 ends: it finishes its calls, for up to 25000 ms");
            assertThat(health(probes("server 1"))).isEqualTo("1: unhealthy: server 1: is about to end");
            assertThat(psf(Map.of(), "status", "--once", "--scheduler", job.schedulerAddress()))
                    .startsWith("1: ")
                    .contains("about to end, accepts no new session");
            assertThat(job.process("server 1").isAlive()).as("a round is open").isTrue();
            Files.createFile(go);
            awaitLine("\\[worker 0] pushed");
            awaitLine("\\[worker 1] pushed");
            assertThat(exitCode(job, "server 1")).isZero();
            awaitLine("\\[worker 0] failed: UNAVAILABLE: server 1 .* has left the cluster.*");
            awaitLine("\\[scheduler] .*server 1 left");
            assertThat(lines).noneMatch(line -> line.contains("lost server 1"));
        }
    }

    private LocalJob jobWhoseCallsDoNotEnd() throws IOException {
        return job().servers(2)
                .workers(2)
                .environment(Map.of("PSF_DRAIN", "3s"))
                .workerMain(Child.class, "one-round", folder.resolve("never").toString())
                .start();
    }

    @Tag("long")
    @Test
    void aServerWhoseCallsDoNotEndEndsWithinTheLimit() throws Exception {
        try (LocalJob job = jobWhoseCallsDoNotEnd()) {
            awaitLine("\\[worker 0] pushes");
            terminate(job, "server 0");
            awaitLine("\\[server 0] .* it finishes its calls, for up to 2250 ms");
            assertThat(exitCode(job, "server 0")).isZero();
            awaitLine("\\[server 0] .*1 calls wait for others after 2250 ms");
        }
    }

    @Tag("long")
    @Test
    void aServerThatIsToldTwiceToEndEndsAtOnce() throws Exception {
        try (LocalJob job = jobWhoseCallsDoNotEnd()) {
            awaitLine("\\[worker 0] pushes");
            terminate(job, "server 1");
            awaitLine("\\[server 1] .* it finishes its calls, for up to 2250 ms");
            terminate(job, "server 1");
            assertThat(exitCode(job, "server 1")).isEqualTo(143);
            assertThat(job.process("server 0").isAlive()).isTrue();
        }
    }

    @Tag("long")
    @Test
    void aServerThatIsToldToEndBeforeItHasJoinedEndsAtOnce() throws Exception {
        try (LocalJob job = job().servers(2)
                .environment(Map.of("PSF_HEALTH", "127.0.0.1:0"))
                .workerMain(Child.class, "sleep")
                .start()) {
            awaitLine("\\[scheduler] .*\\(2 of 2 servers, 0 of 1 workers\\)");
            assertThat(health(probes("server 0")))
                    .isEqualTo("0: healthy: server: waits for the other nodes of its cluster");
            assertThat(health(probes("scheduler")))
                    .isEqualTo("0: healthy: scheduler: listens for the nodes of its cluster");
            Cli.Said said = Cli.run("health", "--scheduler", job.schedulerAddress());
            assertThat(said.exit()).isEqualTo(1);
            assertThat(said.out()).startsWith("unhealthy: UNAVAILABLE: cluster: 2 of 2 servers and 0 of 1 workers");
            terminate(job, "server 0");
            assertThat(exitCode(job, "server 0")).isZero();
        }
    }

    @Tag("long")
    @Test
    void aSchedulerThatIsToldToEndEndsTheCluster() throws Exception {
        try (LocalJob job = job().servers(2).workerMain(Child.class, "push").start()) {
            awaitLine("\\[scheduler] .*cluster is ready.*");
            terminate(job, "scheduler");
            for (String node : List.of("scheduler", "server 0", "server 1")) {
                assertThat(exitCode(job, node)).as(node).isZero();
            }
            awaitLine("\\[worker 0] .*CLOSED: the cluster has ended.*");
        }
    }

    @Tag("long")
    @Test
    void aSchedulerThatIsMovedLeavesItsClusterAndStopEndsIt() throws Exception {
        Map<String, String> journal =
                Map.of("PSF_JOURNAL", folder.resolve("journal").toString());
        try (LocalJob job = job().servers(2).asService().environment(journal).start()) {
            awaitLine("\\[server 0] .*server has rank 0"); // else the server joins the next scheduler
            awaitLine("\\[server 1] .*server has rank 1");
            terminate(job, "scheduler");
            assertThat(exitCode(job, "scheduler")).isZero();
            ProcessBuilder next = new ProcessBuilder(
                            NodeJvm.command(System.getProperty("java.class.path"), List.of(), "scheduler"))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("next").toFile());
            next.environment().putAll(journal);
            next.environment()
                    .putAll(Map.of(
                            "PSF_SCHEDULER", job.schedulerAddress(),
                            "PSF_SERVERS", "2",
                            "PSF_WORKERS", "1",
                            "PSF_LIFETIME", "service"));
            Process moved = next.start();
            try {
                awaitLine("\\[server 0] .*the connection to scheduler .* broke, and was made again");
                awaitLine("\\[server 1] .*the connection to scheduler .* broke, and was made again");
                assertThat(psf(Map.of(), "stop", "--scheduler", job.schedulerAddress()))
                        .isEqualTo("0: ended the cluster of 2 servers and 0 workers");
                assertThat(moved.waitFor()).isZero();
                assertThat(exitCode(job, "server 0")).isZero();
                assertThat(exitCode(job, "server 1")).isZero();
            } finally {
                moved.destroyForcibly();
            }
        }
    }

    @Tag("long")
    @Test
    void aWorkerThatIsToldToEndLeaves() throws Exception {
        try (LocalJob job = job().workers(2).workerMain(Child.class, "push").start()) {
            awaitLine("\\[scheduler] .*cluster is ready.*");
            awaitLine("\\[worker 1] .*worker has rank 1 of 2.*");
            terminate(job, "worker 1");
            awaitLine("\\[scheduler] .*worker 1 left");
            assertThat(exitCode(job, "worker 1")).isEqualTo(143);
            assertThat(job.process("worker 0").isAlive()).isTrue();
            assertThat(lines).noneMatch(line -> line.contains("lost worker 1"));
        }
    }

    @Tag("long")
    @Test
    void aClusterThatHasLostAServerIsNotHealthyAndIsStopped() throws Exception {
        Map<String, String> secret = Map.of("PSF_SECRET", "a secret of sixteen");
        try (LocalJob job = job().servers(2).asService().environment(secret).start()) {
            awaitLine("\\[scheduler] .*cluster is ready.*");
            String scheduler = job.schedulerAddress();
            assertThat(psf(secret, "health", "--scheduler", scheduler))
                    .isEqualTo("0: healthy: 2 servers and 0 workers");
            terminate(job, "server 1");
            assertThat(exitCode(job, "server 1")).isZero();
            awaitLine("\\[scheduler] .*server 1 left");
            assertThat(psf(secret, "health", "--scheduler", scheduler))
                    .isEqualTo("1: unhealthy: 1 server and 0 workers (expected: 2 servers; server 1: it has left)");
            assertThat(psf(Map.of(), "stop", "--scheduler", scheduler))
                    .startsWith("1: psf: BAD_REQUEST: ")
                    .contains("credential of a ");
            assertThat(psf(secret, "stop", "--scheduler", scheduler))
                    .isEqualTo("0: ended the cluster of 1 server and 0 workers");
            assertThat(job.awaitExit(SOON)).isTrue();
            assertThat(job.exitCode()).isZero();
            assertThat(psf(secret, "stop", "--scheduler", scheduler))
                    .startsWith("1: psf: UNAVAILABLE: connecting to " + scheduler + ": ");
        }
    }

    /** The link to a scheduler that stands still makes no progress, before the server gives it up. */
    @Tag("long")
    @Test
    void aServerIsLiveWhileItsSchedulerAnswers() throws IOException, InterruptedException {
        try (LocalJob job = job().asService()
                .environment(Map.of("PSF_HEALTH", "127.0.0.1:0", "PSF_HEARTBEAT_LIMIT", "2s"))
                .start()) {
            awaitLine("\\[server 0] .*server has rank 0");
            String probes = probes("server 0");
            assertThat(health(probes)).startsWith("0: healthy");
            signal("STOP", job.process("scheduler"));
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(health(probes))
                            .matches("1: unhealthy: server 0: the scheduler has answered no heartbeat for \\d+ ms"
                                    + " \\(expected: within 2000 ms\\)"));
            signal("CONT", job.process("scheduler"));
        }
    }

    private static void signal(String name, Process process) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Tag("long")
    @Test
    void launchKeepsAServiceUntilItIsStopped() throws Exception {
        Path log = folder.resolve("launch");
        Process launch = new ProcessBuilder(NodeJvm.command(
                        System.getProperty("java.class.path"),
                        List.of(),
                        "launch",
                        "--workers",
                        "1+",
                        "--lifetime",
                        "service",
                        "--",
                        NodeJvm.java(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        "connect"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await().atMost(SOON).until(() -> Files.readString(log).contains("a job has ended: no worker is left"));
            assertThat(Files.readString(log)).contains("cluster is ready: 1 server, as a service");
            Matcher scheduler = Pattern.compile("scheduler listening on (\\S+)").matcher(Files.readString(log));
            assertThat(scheduler.find()).isTrue();
            assertThat(Cli.run("health", "--scheduler", scheduler.group(1)).out())
                    .isEqualTo("healthy: 1 server and 0 workers\n");
            assertThat(Cli.run("stop", "--scheduler", scheduler.group(1)).out())
                    .isEqualTo("ended the cluster of 1 server and 0 workers\n");
            assertThat(launch.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(launch.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            launch.destroyForcibly();
        }
    }
}
