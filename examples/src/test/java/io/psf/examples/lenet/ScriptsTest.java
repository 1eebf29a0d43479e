package io.psf.examples.lenet;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.data.RealData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The three scripts, each a process, with the class path of this test in the place of ./psf. */
@Timeout(120)
class ScriptsTest {
    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(String script, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "lenet/" + script + ".sh", "--steps", "3")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(script).toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    @Test
    void schedulerServerAndWorkerTrainTogether() throws Exception {
        RealData.mnist();
        Path psf = Files.writeString(
                folder.resolve("psf"),
                "#!/bin/sh\nexec '%s' @../psf-cli/src/main/resources/io/psf/cli/jvm.options -cp '%s' io.psf.cli.Main \"$@\"\n"
                        .formatted(
                                ProcessHandle.current().info().command().orElse("java"),
                                System.getProperty("java.class.path")));
        Files.setPosixFilePermissions(psf, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> environment = Map.of("PSF", psf.toString(), "MS_SCHED_PORT", "" + freePort());
        List<Process> nodes =
                List.of(start("Scheduler", environment), start("Server", environment), start("Worker", environment));
        for (Process node : nodes) {
            assertThat(node.waitFor(100, TimeUnit.SECONDS)).isTrue();
        }
        String log = Files.readString(folder.resolve("Scheduler"));
        List<String> lines = Files.readAllLines(folder.resolve("Worker"));
        assertThat(nodes).as(log + lines).allMatch(node -> node.exitValue() == 0);
        assertThat(log).contains("cluster is ready: 1 server");
        assertThat(lines)
                .anyMatch(line -> line.matches("epoch: 1 step: 1, loss is 2\\.30\\d{4}"))
                .anyMatch(line -> line.matches("epoch: 1 step: 3, loss is 2\\.30\\d{4}"))
                .anyMatch(line -> line.matches("accuracy: 0\\.\\d{4}"));
    }
}
