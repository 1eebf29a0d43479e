package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that are shell scripts. The roles but the worker write the ids of themselves and of a child, and never end. */
@Timeout(60)
final class PeerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static final String SCRIPT = """
            #!/bin/sh
            cd "$(dirname "$0")"
            hang() {
              sleep 300 &
              printf '%%s\\n%%s\\n' $$ $! >>pids
              wait
            }
            await() {
              while [ "$(cat pids 2>/dev/null | wc -l)" -lt "$1" ]; do sleep 0.05; done
            }
            case $DMLC_ROLE in
              worker) %s ;;
              server) %s ;;
              scheduler) hang ;;
              *) exit 99 ;;
            esac
            """;

    private static final String PLACE = "[ \"$DMLC_NUM_SERVER $DMLC_NUM_WORKER $DMLC_PS_ROOT_URI $DMLC_NODE_HOST\""
            + " = '1 1 127.0.0.1 127.0.0.1' ] && [ \"$DMLC_PS_ROOT_PORT\" -gt 0 ] || exit 98";

    @TempDir
    private Path folder;

    private static List<Line> cases(String pattern) {
        return PeerCases.matching(Pattern.compile(pattern));
    }

    private Peer peer(String worker, String server, Duration limit) throws IOException {
        Path program = folder.resolve("bench");
        Files.writeString(program, SCRIPT.formatted(worker, server));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Peer.in(folder, limit);
    }

    @AfterEach
    void killWhatAFailedTestLeaves() throws IOException {
        Path ids = folder.resolve("pids");
        for (String id : Files.exists(ids) ? Files.readAllLines(ids) : List.<String>of()) {
            ProcessHandle.of(Long.parseLong(id)).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** Asserts that a number of processes have written their ids, and that none of them lives. */
    private void assertThatAllAreKilled(int processes) throws IOException {
        List<String> ids = Files.readAllLines(folder.resolve("pids"));
        assertThat(ids).hasSize(processes);
        await().untilAsserted(() -> assertThat(ids)
                .noneMatch(id -> ProcessHandle.of(Long.parseLong(id))
                        .map(ProcessHandle::isAlive)
                        .orElse(false)));
    }

    @Test
    void aPeerThatPrintsItsLinesIsMeasuredAndLeavesNoProcess() throws IOException {
        Peer peer = peer(PLACE + "; await 4; echo starting; echo 'pull 4096 p50 130.5 us p99 210.0 us'", "hang", LONG);
        PeerFigures figures = peer.measure(cases("pull 4 KB"));
        assertThat(figures.radix())
                .containsOnlyKeys("latency of pull 4 KB, p50")
                .containsValue(130.5);
        assertThatAllAreKilled(4);
    }

    @Test
    void aWorkerThatEndsWithAnErrorIsNamed() throws IOException {
        Peer peer = peer("await 4; echo 'no server'; exit 3", "hang", LONG);
        assertThatThrownBy(() -> peer.measure(cases("")))
                .isInstanceOf(PsException.class)
                .hasMessageContaining(peer.program() + ": ended as worker with exit code 3; its last line: no server"
                        + " (expected: exit code 0, and lines such as \"push 4096 p50 136.1 us\"");
        assertThatAllAreKilled(4);
    }

    @Test
    void aServerThatEndsWithAnErrorEndsTheRun() throws IOException {
        Peer peer = peer("hang", "await 4; exit 4", LONG);
        assertThatThrownBy(() -> peer.measure(cases("")))
                .hasMessageContaining("ended as server with exit code 4; it printed nothing");
        assertThatAllAreKilled(4);
    }

    @Test
    void casesWithoutALineAreNamed() throws IOException {
        Peer silent = peer("true", "true", LONG);
        assertThatThrownBy(() -> silent.measure(cases("push (4|64) KB")))
                .hasMessageContaining(silent.program() + ": printed no figure of \"latency of push 4 KB, p50\","
                        + " \"latency of push 64 KB, p50\" (expected: a line of each case, such as");
        Peer half = peer("echo 'push 4096 p50 136.1 us'", "true", LONG);
        assertThatThrownBy(() -> half.measure(cases("push (4|64) KB")))
                .hasMessageContaining("printed no figure of \"latency of push 64 KB, p50\" (expected");
    }

    @Tag("long")
    @Test
    void aPeerThatHangsIsKilledWithItsChildren() throws IOException {
        Peer peer = peer("echo 'push 4096 p50 136.1 us'; hang", "hang", Duration.ofSeconds(2));
        assertThatThrownBy(() -> peer.measure(cases("push 4 KB")))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.TIMED_OUT))
                .hasMessageContaining(peer.program()
                        + ": killed, since it was not done after 2 s; its last line: push 4096 p50 136.1 us");
        assertThatAllAreKilled(6);
    }

    @Test
    void aBenchThatIsInterruptedKillsThePeer() throws Exception {
        peer("hang", "hang", LONG);
        Process bench = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Interrupted.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        try {
            Path ids = folder.resolve("pids");
            await().atMost(LONG)
                    .until(() -> Files.exists(ids) && Files.readAllLines(ids).size() == 6);
            bench.destroy();
            assertThat(bench.waitFor()).isEqualTo(128 + 15);
        } finally {
            bench.destroyForcibly();
        }
        assertThatAllAreKilled(6);
    }

    /** Runs the peer of a folder. */
    static final class Interrupted {
        public static void main(String[] arguments) throws IOException {
            Peer.in(Path.of(arguments[0]), LONG).measure(cases(""));
        }
    }

    @Test
    void aFolderWithoutTheProgramIsRefused() throws IOException {
        assertThatThrownBy(() -> Peer.in(folder, LONG))
                .hasMessageContaining("--peer: " + folder.resolve("bench") + " is no executable file (expected: ");
        Files.writeString(folder.resolve("bench"), "not executable");
        assertThatThrownBy(() -> Peer.in(folder, LONG)).hasMessageContaining("is no executable file");
        Files.delete(folder.resolve("bench"));
        Files.createDirectory(folder.resolve("bench"));
        assertThatThrownBy(() -> Peer.in(folder, LONG)).hasMessageContaining("is no executable file");
    }

    @Test
    void aPeerOfAllCasesHasALineOfEach() throws IOException {
        String dense = IntStream.of(4 << 10, 64 << 10, 1 << 20, 16 << 20)
                .mapToObj("echo \"$call %d p50 9 us p99 10 us\""::formatted)
                .collect(Collectors.joining("; "));
        String sparse = "for wide in 16 64; do for under in 1 4; do for way in std::sort radix; do"
                + " echo \"sparse $call $wide wide $under under way $way: 14.01 M rows/s (12.00 to 15.00)\"; done; done; done";
        PeerFigures figures = peer("for call in push pull; do " + dense + "; " + sparse + "; done", "true", LONG)
                .measure(PeerCases.all());
        assertThat(figures.stdSort()).hasSize(16);
        assertThat(figures.radix()).hasSize(16);
    }
}
