package io.psf.examples.lenet;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.data.RealData;
import io.psf.examples.plot.Picture;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Timeout(120)
final class ScriptsTest {
    private static final Map<String, String> ROLES =
            Map.of("Scheduler", "MS_SCHED", "Server", "MS_PSERVER", "Worker", "MS_WORKER");

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

    /** Writes a command that runs psf with the class path of this test. */
    private Path psf() throws IOException {
        Path psf = Files.writeString(
                folder.resolve("psf"),
                "#!/bin/sh\nexec '%s' @../psf-cli/src/main/resources/io/psf/cli/jvm.options -cp '%s' io.psf.cli.Main \"$@\"\n"
                        .formatted(
                                ProcessHandle.current().info().command().orElse("java"),
                                System.getProperty("java.class.path")));
        return Files.setPosixFilePermissions(psf, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Runs the three scripts of a folder, and checks what they print. */
    private void requireTraining(Path scripts, Map<String, String> environment) throws Exception {
        RealData.mnist();
        for (String name : ROLES.keySet()) {
            ProcessBuilder builder = new ProcessBuilder(
                            "sh",
                            scripts.resolve(name + ".sh").toString(),
                            "--steps",
                            "3",
                            "--plot",
                            folder.resolve("lenet.png").toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve(name + ".log").toFile());
            builder.environment().putAll(environment);
            started.add(builder.start());
        }
        for (Process node : started) {
            assertThat(node.waitFor(100, TimeUnit.SECONDS)).isTrue();
        }
        String log = Files.readString(folder.resolve("Scheduler.log"));
        List<String> lines = Files.readAllLines(folder.resolve("Worker.log"));
        assertThat(started).as(log + lines).allMatch(node -> node.exitValue() == 0);
        assertThat(log).contains("cluster is ready: 1 server");
        assertThat(lines)
                .anyMatch(line -> line.matches("epoch: 1 step: 1, loss is 2\\.30\\d{4}"))
                .anyMatch(line -> line.matches("epoch: 1 step: 3, loss is 2\\.30\\d{4}"))
                .anyMatch(line -> line.matches("accuracy: 0\\.\\d{4}"))
                .anyMatch(line -> line.matches("epoch 1: loss 2\\.30\\d{2}, accuracy 0\\.\\d{4}"))
                .contains("plot: " + folder.resolve("lenet.png"))
                .noneMatch(line -> line.contains("\r"));
        Picture picture = Picture.read(folder.resolve("lenet.png"));
        for (int hue : Picture.HUES.subList(0, 2)) { // loss and accuracy; a single epoch draws no line
            assertThat(picture.legend(hue)).isNotEmpty();
        }
    }

    @Test
    void theScriptsOfTheRepositoryTrainTogether() throws Exception {
        requireTraining(Path.of("lenet"), Map.of("PSF", psf().toString(), "MS_SCHED_PORT", "" + freePort()));
    }

    /** Those of MindSpore's documents, of which one edition misspells the name of the port. */
    @ParameterizedTest
    @ValueSource(strings = {"MS_SCHED_PORT", "MS_SCHED_POST"})
    void theScriptsOfMindSporeTrainTogetherWithTheCommandOfPsf(String nameOfPort) throws Exception {
        int port = freePort();
        Path psf = psf();
        for (Map.Entry<String, String> role : ROLES.entrySet()) {
            Files.writeString(
                    folder.resolve(role.getKey() + ".sh"),
                    String.join(
                            "\n",
                            "#!/bin/bash",
                            "export MS_SERVER_NUM=1",
                            "export MS_WORKER_NUM=1",
                            "export MS_SCHED_HOST=127.0.0.1",
                            "export " + nameOfPort + "=" + port,
                            "export MS_ROLE=" + role.getValue(),
                            psf + " lenet $*\n"));
        }
        requireTraining(folder, Map.of());
    }
}
