package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
