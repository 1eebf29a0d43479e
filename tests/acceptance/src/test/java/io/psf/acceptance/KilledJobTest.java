package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.cli.LocalJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Training loops of real processes, which are killed and started again. */
@Tag("long")
@Timeout(300)
final class KilledJobTest {
    private static final Duration SOON = Duration.ofSeconds(100);
    private static final long STEPS = 60;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private LocalJob job(Path folder, int servers) {
        lines.clear();
        return LocalJob.builder()
                .servers(servers)
                .workers(2)
                .workerMain(TrainingLoopMain.class, "" + STEPS)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "5s", "PSF_CHECKPOINTS", folder.toString()))
                .endOnFailure(false)
                .onLine((node, line) -> lines.add(node + ": " + line))
                .start();
    }

    private List<String> models(LocalJob job) {
        assertThat(job.awaitExit(SOON)).as(String.join("\n", lines)).isTrue();
        assertThat(job.exitCode()).as(String.join("\n", lines)).isZero();
        return lines.stream()
                .filter(line -> line.contains("MODEL"))
                .map(line -> line.substring(line.indexOf("MODEL")))
                .toList();
    }

    private long steps() {
        return lines.stream()
                .filter(line -> line.contains("worker 0") && line.contains("STEP"))
                .count();
    }

    /** Each time all processes are killed at once, in the middle of a step, a cut or a save. */
    @Test
    void aJobThatIsKilledAndStartedAgainEndsWithTheModelOfAnUndisturbedOne(
            @TempDir Path folder, @TempDir Path undisturbed) {
        List<String> expected;
        try (LocalJob job = job(undisturbed, 2)) {
            expected = models(job);
        }
        assertThat(expected).hasSize(2);
        assertThat(expected.get(0)).isEqualTo(expected.get(1));
        Random random = new Random(7);
        for (int kill = 0; kill < 3; kill++) {
            try (LocalJob job = job(folder, 1 + kill)) {
                int after = 6 + random.nextInt(10);
                await().atMost(SOON).until(() -> steps() >= after);
                for (String node : List.of("server 0", "worker 1", "worker 0", "scheduler")) {
                    var unused = job.process(node).destroyForcibly();
                }
            }
        }
        try (LocalJob job = job(folder, 2)) {
            assertThat(models(job)).isEqualTo(expected);
        }
        assertThat(steps()).as("those before were not done again").isLessThan(STEPS - 8);
    }
}
