package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.TensorId;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class StatusCommandTest {
    private static String status(int port, String... options) {
        return psf(port, "status", options);
    }

    private static String psf(int port, String command, String... options) {
        StringWriter said = new StringWriter();
        CommandLine psf = Main.commandLine();
        psf.setOut(new PrintWriter(said));
        psf.setErr(new PrintWriter(said, true));
        String[] arguments = new String[options.length + 3];
        arguments[0] = command;
        arguments[1] = "--scheduler";
        arguments[2] = "127.0.0.1:" + port;
        System.arraycopy(options, 0, arguments, 3, options.length);
        return psf.execute(arguments) + ": " + said;
    }

    @Test
    void aRunningClusterIsPrintedAsTablesAndAsJson() {
        int port;
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(1).tcp().start()) {
            port = cluster.scheduler().port();
            TensorId items = Tensors.init(cluster.worker(), TensorSpec.table("items", 1000, 16));
            Reports.scalar(cluster.worker(), "loss", 7, .25).await();
            AtomicBoolean stop = new AtomicBoolean();
            CompletableFuture<Void> training = CompletableFuture.runAsync(() -> {
                while (!stop.get()) {
                    Tensors.push(cluster.worker(), items, new float[16_000]).await();
                }
            });
            assertThat(status(port, "--once"))
                    .startsWith("0: cluster: job, 2 of 2 servers, 1 of 1 workers, for ")
                    .containsPattern("server +1 +127.0.0.1:[0-9]+ +31.3 KiB +[0-9.]+ .iB +present")
                    .containsPattern("worker +0 +- +- +- +present")
                    .contains("reported: loss 0.2500 at step 7")
                    .containsPattern("items +1,000 +16 +2 host +62.5 KiB +0 B +0 B +Add")
                    .containsPattern(
                            "psf.dense.push +[1-9][0-9,]* +[1-9][0-9.,]* +[0-9.]+ [KMG]iB( +[0-9.]+ (us|ms|s)){3}")
                    .containsPattern("counted for [1-9].* s, rates and times of the last 1\\.[0-9] s")
                    .doesNotContainPattern("(?m)^psf.(list|stats|model|connection)");
            assertThat(status(port, "--json"))
                    .startsWith(
                            "0: {\"cluster\":{\"name\":\"\",\"service\":false,\"servers\":2,\"workers\":1,\"ageMillis\":")
                    .contains("\"members\":[{\"role\":\"server\",\"rank\":0,", "\"lost\":[],", "\"checkpoints\":[],")
                    .contains("\"kind\":\"joined\",\"text\":\"server 1 at 127.0.0.1:", "\"slices\":[{", "\"waiting\":[")
                    .contains("{\"name\":\"items\",\"rows\":1000,\"allRows\":1000,\"width\":16,\"grows\":false,")
                    .contains("{\"function\":\"psf.list\",\"outcomes\":{\"OK\":")
                    .contains("{\"function\":\"psf.dense.push\",\"outcomes\":{\"OK\":");
            stop.set(true);
            training.join();
        }
        assertThat(status(port, "--once")).startsWith("1: psf: UNAVAILABLE: ").contains("127.0.0.1:" + port);
    }

    /** Each worker waits for the other in every round: a disturbed member would stop both. */
    @Tag("long")
    @Test
    void aGuestThatIsKilledDisturbsNoRound(@TempDir Path folder) throws IOException {
        Path end = folder.resolve("end");
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(2)
                .workerMain(Child.class, "rounds-until", end.toString())
                .onLine((node, line) -> lines.add("[" + node + "] " + line))
                .start()) {
            await().atMost(Duration.ofSeconds(60)).until(() -> lines.contains("[worker 1] rounds"));
            for (int visit = 0; visit < 2; visit++) {
                int now = visit;
                Process guest = guest(scheduler(lines), folder.resolve("guest" + visit));
                try {
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> Files.readString(folder.resolve("guest" + now))
                                    .contains("psf.dense.pushpull"));
                } finally {
                    guest.destroyForcibly().onExit().join();
                }
            }
            Files.createFile(end);
            assertThat(job.awaitExit(Duration.ofSeconds(60))).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines).contains("[worker 0] ended by 1.0", "[worker 1] ended by 1.0");
    }

    /** Each print is a visit of its own: before the cluster is complete, and after a server was lost. */
    @Tag("long")
    @Test
    void theClusterIsVisitedForEachPrint(@TempDir Path folder) throws IOException {
        Path output = folder.resolve("status");
        Path start = folder.resolve("start");
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "2s"))
                .endOnFailure(false)
                .workerMain(Child.class, "connect-when", start.toString())
                .start()) {
            Process status = guest(job.schedulerAddress(), output);
            try {
                awaitPrint(output, "psf: UNAVAILABLE: cluster: 2 of 2 servers and 0 of 1 workers have joined.*");
                Files.createFile(start);
                awaitPrint(output, "NODE .*\nserver +0 .*\nserver +1 .*\nworker +0 .*");
                job.kill("server 1");
                awaitPrint(
                        output, "server 1 is missing: .*\nNODE .*\nserver +1 .* lost: .*\nserver +0 .*\nworker +0 .*");
                assertThat(psf(port(job), "status", "--once"))
                        .startsWith("1: cluster: job, 1 of 2 servers, 1 of 1 workers");
                assertThat(psf(port(job), "health"))
                        .startsWith("1: unhealthy: 1 server and 1 worker (expected: 2 servers; server 1: lost, ");
            } finally {
                status.destroyForcibly().onExit().join();
            }
        }
    }

    private static int port(LocalJob job) {
        return Integer.parseInt(job.schedulerAddress().replaceAll(".*:", ""));
    }

    private static void awaitPrint(Path output, String lines) {
        Pattern print = Pattern.compile("^" + lines + "$", Pattern.MULTILINE);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> print.matcher(Files.readString(output)).find());
    }

    private static String scheduler(List<String> lines) {
        Pattern listening = Pattern.compile("\\[scheduler] .*scheduler listening on (\\S+)");
        return lines.stream()
                .map(listening::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
    }

    private static Process guest(String scheduler, Path output) throws IOException {
        return new ProcessBuilder(NodeJvm.command(
                        System.getProperty("java.class.path"),
                        List.of(),
                        "status",
                        "--scheduler",
                        scheduler,
                        "--interval",
                        "0.05"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    @Test
    void theIntervalIsPositive() {
        assertThat(status(1, "--interval", "0"))
                .startsWith("2: psf: --interval: 0.0 (expected: above 0, at most 86400)");
        assertThat(status(1, "--top", "-1")).startsWith("2: psf: --top: -1 (expected: at least 0)");
    }
}
