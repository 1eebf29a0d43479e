package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.examples.data.Mnist;
import io.psf.runtime.PsCluster;
import io.psf.runtime.SchedulerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs of {@code examples/python}, which are those of the guides of other systems. */
@Timeout(120)
final class PythonExamplesTest {
    private static final Path EXAMPLES =
            Path.of("../../examples/python").toAbsolutePath().normalize();

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private static void requireMnist() {
        try {
            Mnist.load();
        } catch (PsException e) {
            Assumptions.abort(e.getMessage()); // not there, and not to be fetched
        }
    }

    private static String output(Process process) throws Exception {
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    /** Runs a program as the workers of a job. Returns what each has printed. */
    private List<String> run(String python, int workers, String program, String... arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of(EXAMPLES.resolve(program).toString()));
        line.addAll(List.of(arguments));
        try (Nodes nodes = Nodes.start(SchedulerConfig.of(2, workers), null, folder)) {
            Map<String, String> settings = Map.of("PSF_SCHEDULER", nodes.address(), "PSF_ROLE", "worker");
            for (int i = 0; i < workers; i++) {
                started.add(Python.start(python, settings, line));
            }
            List<String> printed = new ArrayList<>();
            for (Process each : started) {
                printed.add(output(each));
            }
            return printed;
        }
    }

    @Test
    void hetusExampleInitializesAndPulls() throws Exception {
        List<String> lines =
                run(Python.with("numpy"), 1, "hetu.py").get(0).lines().toList();
        assertThat(lines).singleElement().asString().startsWith("[5.0, 5.0, ").hasSize(128 * 5);
    }

    @Test
    void mxnetsExamplePushesAndPulls() throws Exception {
        assertThat(run(Python.with("numpy"), 2, "kvstore.py"))
                .containsExactlyInAnyOrder(
                        "worker 0 of 2: [[16.0, 16.0, 16.0], [16.0, 16.0, 16.0]]\n",
                        "worker 1 of 2: [[16.0, 16.0, 16.0], [16.0, 16.0, 16.0]]\n");
    }

    @Test
    void raysExampleLearnsToReadDigits() throws Exception {
        assertRaysExampleLearns("sync");
    }

    @Test
    @Tag("long")
    void raysAsynchronousExampleLearnsToReadDigits() throws Exception {
        assertRaysExampleLearns("async");
    }

    private void assertRaysExampleLearns(String mode) throws Exception {
        String python = Python.with("torch");
        requireMnist();
        String printed = String.join("", run(python, 2, "convnet.py", "--mode", mode, "--iterations", "100"));
        assertThat(printed).contains("Iter 10: \taccuracy is ").contains("Iter 100: \taccuracy is ");
        String last =
                printed.substring(printed.indexOf("Final accuracy is ") + 18).strip();
        assertThat(Double.parseDouble(last.substring(0, last.length() - 1))).isGreaterThan(65);
    }

    /** The three scripts, each a process, with the variables of MindSpore. */
    @Test
    @Tag("long")
    void mindSporesScriptsTrainLeNet() throws Exception {
        String python = Python.with("torch");
        requireMnist();
        Map<String, String> settings =
                Map.of("PSF", psf().toString(), "PYTHON", python, "MS_SCHED_PORT", String.valueOf(freePort()));
        Process scheduler = script("Scheduler.sh", settings);
        Process server = script("Server.sh", settings);
        String printed = output(script("Worker.sh", settings, "--steps", "200"));
        assertThat(printed).containsPattern("epoch: 1 step: 1, loss is 2\\.\\d{6}\n");
        assertThat(printed).containsPattern("epoch: 1 step: 200, loss is 0\\.\\d{6}\naccuracy: 0\\.[89]\\d{3}\n");
        assertThat(output(scheduler)).contains("cluster is ready: 1 server");
        assertThat(output(server)).contains("server has rank 0");
    }

    @Test
    void theNotebookTrainsOnARunningClusterAndPlots() throws Exception {
        String python = Python.with("torch, nbclient, ipykernel, matplotlib");
        try (PsCluster cluster =
                PsCluster.builder().tcp().servers(2).workers(0).asService().start()) {
            String address = "127.0.0.1:" + cluster.scheduler().port();
            assertThat(Python.run(python, Map.of("PSF_SCHEDULER", address), "-m", "tests.notebook"))
                    .containsPattern("loss: 0\\.69\\d, then 0\\.0\\d\\d\n")
                    .contains("['image/png', 'text/plain']");
        }
    }

    private Process script(String name, Map<String, String> settings, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(
                List.of("bash", EXAMPLES.resolve("lenet").resolve(name).toString()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(key -> key.startsWith("PSF_") || key.startsWith("MS_"));
        environment.putAll(settings);
        environment.put("PYTHONPATH", Python.FOLDER.toString());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    /** Writes a command that runs psf with the class path of this test. */
    private Path psf() throws IOException {
        Path psf = Files.writeString(
                folder.resolve("psf"),
                "#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path")
                        + "' io.psf.cli.Main \"$@\"\n");
        return Files.setPosixFilePermissions(psf, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
