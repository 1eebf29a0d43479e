package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that lacks memory or files goes on with what it can do. */
@Timeout(60)
final class StarvedNodeTest {
    private static final Path SHELL = Path.of("/bin/sh");

    /** What a node in a process of its own has said, by name. */
    private static Map<String, String> run(String limits, String of) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(SHELL), "a shell that sets limits");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process node = new ProcessBuilder(
                        SHELL.toString(),
                        "-c",
                        limits + " exec \"$@\"",
                        "sh",
                        java,
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=24m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StarvedNode.class.getName(),
                        of)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            node.waitFor();
            assertThat(said).endsWith("done" + System.lineSeparator());
            return Arrays.stream(said.split(System.lineSeparator()))
                    .filter(line -> line.contains("="))
                    .map(line -> line.split("=", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        } finally {
            node.destroyForcibly();
        }
    }

    @Test
    void aNodeOutOfFilesServesWhatIsConnectedAndConnectsAgainAfterwards() throws Exception {
        Map<String, String> said = run("ulimit -n 120;", "files");
        assertThat(said).containsEntry("files", "none").containsKeys("before", "after");
        assertThat(Integer.parseInt(said.get("starved")))
                .as(
                        "milliseconds of 100 round trips while new connections cannot be taken; 25,000 if each waited for the next check")
                .isLessThan(5000 + 10 * Integer.parseInt(said.get("before")));
    }

    @Test
    void aNodeOutOfMemoryServesThoseThatNeedNoneAndTheOthersAfterwards() throws Exception {
        assertThat(run("", "memory"))
                .containsEntry("early", "false")
                .containsEntry("closed", "null")
                .containsEntry("came", "true")
                .containsKeys("before", "starved", "after");
    }
}
