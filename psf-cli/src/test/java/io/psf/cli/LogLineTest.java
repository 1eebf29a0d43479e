package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LogLineTest {
    @Test
    void aLogLineNamesItsNodeAndIsShownAsItIs() {
        String line = "12:00:00.000 [server 1] WARN  lost worker 0: silent";
        assertThat(LogLine.parse(line)).contains(new LogLine("server 1", "WARN", "lost worker 0: silent"));
        assertThat(LogLine.shown("server 1", line)).isEqualTo(line);
        assertThat(LogLine.shown("worker 0", "AUC 0.93")).isEqualTo("[worker 0] AUC 0.93");
        assertThat(Stream.of("AUC 0.93", "12:00:00 [server 1] WARN  a", "12:00:00.000 WARN  a"))
                .allMatch(other -> LogLine.parse(other).isEmpty());
    }

    @Test
    void aProcessIsNamedByRoleAndRank() {
        assertThat(LogNode.of("psf", null)).isEqualTo("psf");
        assertThat(LogNode.of("server", "-1")).isEqualTo("server");
        assertThat(LogNode.of("worker", "3")).isEqualTo("worker 3");
        assertThat(LogNode.of("scheduler", "0")).isEqualTo("scheduler");
    }

    /** The log of every process of a job, of the nodes and of the workers' program. */
    @Test
    void everyNodeLogsInOneForm() {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .workerMain(Child.class, "connect")
                .onLine((node, line) -> lines.add(node + "|" + line))
                .start()) {
            job.awaitExit();
            assertThat(job.exitCode()).as(() -> String.join("\n", lines)).isZero();
        }
        assertThat(lines).contains("worker 0|connected with rank 0");
        for (String node : List.of("scheduler", "server 0", "server 1", "worker 0")) {
            assertThat(lines)
                    .as(node)
                    .anyMatch(line -> line.startsWith(node + "|")
                            && LogLine.parse(line.substring(node.length() + 1))
                                    .filter(log -> log.node().equals(node) && log.isInformation())
                                    .isPresent());
        }
        assertThat(lines)
                .filteredOn(line -> !line.equals("worker 0|connected with rank 0"))
                .allMatch(line ->
                        LogLine.parse(line.substring(line.indexOf('|') + 1)).isPresent());
    }
}
