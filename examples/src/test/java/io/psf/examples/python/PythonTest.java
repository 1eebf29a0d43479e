package io.psf.examples.python;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker in Python, which docs/protocol.md is enough for. */
@Timeout(90)
class PythonTest {
    private static final Path PROGRAMS = Path.of("python");
    private static final Path VECTORS =
            Path.of("../psf-testkit/src/main/resources/io/psf/testkit/protocol-vectors.json");

    private static Process python(Map<String, String> environment, String program, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(
                List.of("python3", "-u", PROGRAMS.resolve(program).toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        return builder.start();
    }

    private static void assumePython() throws InterruptedException {
        try {
            Process version =
                    new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 7))").start();
            assumeTrue(version.waitFor() == 0, "python3 is older than 3.7");
        } catch (IOException e) {
            assumeTrue(false, "no python3: " + e.getMessage());
        }
    }

    /** Returns what a program printed until it ended without an error. */
    private static String output(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void theVectorsAreWrittenAndReadInPython() throws Exception {
        assumePython();
        assertThat(output(python(Map.of(), "vectors.py", VECTORS.toString()))).matches("[1-9]\\d+ frames\n");
    }

    @Test
    void aWorkerInPythonPushesAndPullsBesideOneInJava() throws Exception {
        assumePython();
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(2, 2))) {
            int port = scheduler.port();
            List<CompletableFuture<Server>> servers = List.of(server(port), server(port));
            Process process = python(Map.of("PSF_SCHEDULER", "127.0.0.1:" + port), "example.py");
            CompletableFuture<String> printed = CompletableFuture.supplyAsync(() -> {
                try {
                    return output(process);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Worker worker = Worker.connect(WorkerConfig.of("127.0.0.1", port))) {
                worker.barrier(); // after the pushes of the program
                assertThat(printed)
                        .as("the program, which waits at the next barrier")
                        .isNotDone();
                TensorId w = Tensors.init( // what the program has declared
                        worker,
                        TensorSpec.table("w", 5, 2)
                                .initializer(Initializers.constant(1))
                                .optimizer(Optimizers.add()));
                assertThat(Tensors.pull(worker, w)).containsExactly(2, 3, 3, 4, 5, 6, 7, 8, 1109, 2210);
                float[] rows = new float[6];
                Tensors.pullRows(worker, TensorId.of("table"), new long[] {1L << 40, 5, -7}, rows)
                        .await();
                assertThat(rows).containsExactly(4, 5, 1, 1, 2, 3);
                Tensors.push(worker, w, new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
                        .await();
                worker.barrier();
                assertThat(printed.get(60, TimeUnit.SECONDS))
                        .matches("(?s)worker [01], 2 servers\nshards: 4\n.*")
                        .contains(
                                "w: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]\n",
                                "rows 4, 0, 4 of w: [1109.0, 2210.0, 2.0, 3.0, 1109.0, 2210.0]\n",
                                "rows 3, -7 of table: [6.0, 7.0, 2.0, 3.0]\n",
                                "refused: UNKNOWN_TENSOR: tensor: \"v\" (expected: one that has been initialized)",
                                "after the barrier: [3.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1110.0, 2211.0]\n");
                assertThat(worker.lost()).isEmpty();
            } finally {
                process.destroyForcibly();
                for (CompletableFuture<Server> server : servers) {
                    server.get(30, TimeUnit.SECONDS).close();
                }
            }
        }
    }

    private static CompletableFuture<Server> server(int port) {
        return CompletableFuture.supplyAsync(() -> Server.start(ServerConfig.of("127.0.0.1", port)));
    }
}
