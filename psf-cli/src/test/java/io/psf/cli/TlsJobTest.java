package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs whose certificates are made for them. */
@Tag("long")
@Timeout(120)
class TlsJobTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern CONFIG = Pattern.compile(".*PSF_CONFIG=(.*)");

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private LocalJobBuilder job() {
        return LocalJob.builder().tls().onLine((node, line) -> lines.add("[" + node + "] " + line));
    }

    /** Returns the file with the settings of other programs, which lies beside the certificates. */
    private Path config() {
        await().atMost(SOON).until(() -> !lines.isEmpty());
        Matcher found = CONFIG.matcher(lines.get(0));
        assertThat(found.matches()).as(lines.get(0)).isTrue();
        return Path.of(found.group(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "auto | over shared memory, agreed to over TLS",
                "tcp | over TCP with TLS",
                "netty | over TCP with TLS"
            })
    void aJobWithTlsWorksOverAnyTransportAndLeavesNoFiles(String transport, String said) {
        Path config;
        try (LocalJob job = job().servers(2)
                .workers(2)
                .environment(Map.of("PSF_TRANSPORT", transport))
                .workerMain(Child.class, "connect")
                .start()) {
            config = config();
            assertThat(job.awaitExit(SOON)).as(() -> String.join("\n", lines)).isTrue();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines)
                .contains("[worker 0] connected with rank 0", "[worker 1] connected with rank 1")
                .anyMatch(line -> line.startsWith("[worker 0] ") && line.endsWith("with 2 servers " + said));
        assertThat(config.getParent()).doesNotExist();
    }

    @Test
    void onlyTheUserReadsTheFilesAndNobodyCanIssueMore() throws Exception {
        try (LocalJob job = job().asService().start()) {
            Path made = config().getParent();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .isEqualTo("rwx------");
            try (var files = Files.list(made)) {
                assertThat(files.map(file -> file.getFileName().toString().replaceAll("-[-0-9a-f]{36}", "")))
                        .containsExactlyInAnyOrder(
                                "authority.pem", "node.pem", "node.key", "worker.pem", "worker.key", "psf.yaml");
            }
            assertThat(job.process("server 0").isAlive()).isTrue();
        }
    }

    @Test
    void aWorkerWithoutACertificateOfTheJobIsRefusedInASentence() throws Exception {
        try (LocalJob job = job().asService().moreWorkers().start();
                LocalJob other = job().asService().start()) {
            String scheduler = job.schedulerAddress();
            String config = config().toString();
            String ofOther = lines.stream()
                    .map(CONFIG::matcher)
                    .filter(Matcher::matches)
                    .map(found -> found.group(1))
                    .filter(file -> !file.equals(config))
                    .findFirst()
                    .orElseThrow();
            Map<String, String> place = Map.of("PSF_SCHEDULER", scheduler);
            Map<String, String> refused = with(place, "PSF_JOIN_TIMEOUT", "5s"); // a node tries until then
            try (PsfProcess without = PsfProcess.child(refused, "connect");
                    PsfProcess stranger = PsfProcess.child(with(refused, "PSF_CONFIG", ofOther), "connect")) {
                assertThat(without.said())
                        .startsWith("1: ")
                        .contains("this node requires TLS (expected: PSF_TLS_CERTIFICATE, PSF_TLS_KEY and"
                                + " PSF_TLS_AUTHORITY at the other end, too)");
                assertThat(stranger.said())
                        .startsWith("1: ")
                        .contains("TLS: the certificate of CN=node")
                        .contains("not issued by an authority in");
            }
            try (PsfProcess worker = PsfProcess.child(with(place, "PSF_CONFIG", config), "connect");
                    PsfProcess status = PsfProcess.psf(
                            with(place, "PSF_CONFIG", config), "status", "--once", "--scheduler", scheduler);
                    PsfProcess plain = PsfProcess.psf(Map.of(), "status", "--once", "--scheduler", scheduler)) {
                assertThat(worker.said()).startsWith("0: ").contains("connected with rank 0");
                assertThat(status.said()).startsWith("0: ").containsPattern("server +0 +127.0.0.1:[0-9]+");
                assertThat(plain.said()).startsWith("1: ").contains("this node requires TLS");
            }
            assertThat(other.process("scheduler").isAlive()).isTrue();
        }
    }

    private static Map<String, String> with(Map<String, String> place, String name, String value) {
        Map<String, String> all = new java.util.HashMap<>(place);
        all.put(name, value);
        return all;
    }

    @Test
    void theFilesOfAJobThatFailsAreDeleted() {
        Path config;
        try (LocalJob job =
                job().workerMain(Child.class, "exit-if-rank", "0", "42").start()) {
            config = config();
            assertThat(job.awaitExit(SOON)).isTrue();
            assertThat(job.exitCode()).isEqualTo(42);
        }
        assertThat(config.getParent()).doesNotExist();
        lines.clear();
        assertThatThrownBy(
                        () -> job().workerCommand(List.of("/no/such/program")).start())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("cannot be run as worker 0");
        assertThat(config().getParent()).doesNotExist();
    }

    @Test
    void theFilesOfALaunchThatIsToldToEndAreDeleted() throws Exception {
        List<String> flags = List.of("-Djava.io.tmpdir=" + folder);
        try (PsfProcess launch = PsfProcess.psf(
                flags,
                Map.of(),
                "launch",
                "--tls",
                "--",
                NodeJvm.java(),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                "push")) {
            Path config = Path.of(launch.awaitLine("PSF_CONFIG=(.*)"));
            assertThat(config).startsWith(folder);
            launch.awaitLine("\\[scheduler] .*cluster is ready");
            launch.awaitLine("\\[worker 0] .* over shared memory, agreed to over TLS");
            launch.process().toHandle().destroy();
            assertThat(launch.said()).startsWith("143: ");
            assertThat(config.getParent()).doesNotExist();
        }
    }

    @Test
    void certificatesOfTheUserAreNotReplaced() throws Exception {
        Path file = Files.writeString(
                folder.resolve("psf.yaml"),
                "PSF_TLS_CERTIFICATE: /c/node.pem\nPSF_TLS_KEY: /c/node.key\nPSF_TLS_AUTHORITY: /c/authority.pem\n");
        Map<String, String> variables = Map.of(
                "PSF_TLS_CERTIFICATE",
                "/c/node.pem",
                "PSF_TLS_KEY",
                "/c/node.key",
                "PSF_TLS_AUTHORITY",
                "/c/authority.pem");
        for (Map<String, String> own : List.of(variables, Map.of("PSF_CONFIG", file.toString()))) {
            try (PsfProcess launch = PsfProcess.psf(own, "launch", "--tls", "--", "true")) {
                assertThat(launch.said())
                        .isEqualTo("2: psf: --tls: certificates made for the job, but PSF_TLS_CERTIFICATE: /c/node.pem"
                                + " (expected: only one of them; the connections have TLS with either)");
            }
        }
    }

    /** A runtime image without keytool says what is missing. */
    @Test
    void certificatesThatCannotBeMadeAreOneSentence() throws Exception {
        Path none = folder.resolve("none");
        try (PsfProcess launch =
                PsfProcess.psf(List.of("-Djava.io.tmpdir=" + none), Map.of(), "launch", "--tls", "--", "true")) {
            assertThat(launch.said())
                    .startsWith("2: ")
                    .contains("psf: --tls: no certificates made (expected: keytool beside java, and a directory for"
                            + " temporary files): " + none);
        }
    }
}
