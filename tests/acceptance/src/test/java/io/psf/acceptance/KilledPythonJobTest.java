package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.cli.LocalJob;
import io.psf.cli.LocalJobBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A training loop of workers in Python, whose servers and workers are killed, and come back. */
@Timeout(300)
@Tag("chaos")
final class KilledPythonJobTest {
    private static final int STEPS = 120;

    @Test
    void theModelIsThatOfAnUndisturbedTraining(@TempDir Path folder) throws Exception {
        String undisturbed = train(folder.resolve("undisturbed"), List.of());
        assertThat(train(folder.resolve("disturbed"), List.of("server 1", "worker 2", "server 0", "worker 0")))
                .isEqualTo(undisturbed);
    }

    @Test
    void aLaunchedJobStartsItsServersAgain(@TempDir Path folder) throws Exception {
        List<String> undisturbed = launched(folder.resolve("undisturbed"), List.of());
        List<String> disturbed = launched(folder.resolve("disturbed"), List.of("server 1", "server 0"));
        assertThat(disturbed).hasSize(2).isEqualTo(undisturbed);
    }

    /** Returns the models of the workers. */
    private static List<String> launched(Path checkpoints, List<String> victims) {
        List<String> models = new CopyOnWriteArrayList<>();
        List<String> others = new CopyOnWriteArrayList<>();
        AtomicInteger steps = new AtomicInteger();
        LocalJobBuilder plan = LocalJob.builder()
                .servers(2)
                .workers(2)
                .replaceServers()
                .environment(Map.of(
                        "PSF_SERVER_RETURN",
                        "2m",
                        "PSF_CHECKPOINTS",
                        checkpoints.toString(),
                        "PYTHONPATH",
                        Python.FOLDER.toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1"))
                .workerCommand(List.of(
                        Python.with("numpy"),
                        "-u",
                        Python.FOLDER.resolve("tests/loop.py").toString(),
                        "" + STEPS))
                .onLine((node, line) -> {
                    if (line.startsWith("STEP ")) {
                        steps.incrementAndGet();
                    } else {
                        (line.startsWith("MODEL ") ? models : others).add(line);
                    }
                });
        try (LocalJob job = plan.start()) {
            for (String victim : victims) {
                int begun = steps.get();
                await().forever().until(() -> steps.get() > begun + 20);
                job.kill(victim);
                await().forever()
                        .until(() -> others.contains(victim + " ended with exit code 137, and is started again"));
            }
            job.awaitExit();
            assertThat(job.exitCode()).as(String.join("\n", others)).isZero();
        }
        return models;
    }

    private static String train(Path checkpoints, List<String> victims) throws IOException, InterruptedException {
        List<String> command = List.of(
                Python.with("numpy"),
                "-u",
                Python.FOLDER.resolve("tests/loop.py").toString());
        Map<String, String> settings = Map.of("PYTHONPATH", Python.FOLDER.toString(), "PYTHONDONTWRITEBYTECODE", "1");
        try (TrainingProcesses job = new TrainingProcesses(checkpoints, settings, STEPS, Duration.ofSeconds(100))) {
            return job.running(command).train(victims);
        }
    }
}
