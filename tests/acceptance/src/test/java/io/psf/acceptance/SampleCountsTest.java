package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Workers are killed, told to end, and started again: each sample that was trained counts once. The nodes are
 * processes.
 */
@Timeout(300)
@Tag("chaos")
final class SampleCountsTest {
    private static final int STEPS = 400;

    @TempDir
    private Path folder;

    static List<Integer> seeds() {
        int first = Integer.getInteger("psf.samples.seed", 1);
        return IntStream.range(first, first + Integer.getInteger("psf.samples.runs", 3))
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachSampleCountsOnce(int seed) throws Exception {
        Random random = new Random(seed);
        Map<String, String> settings = Map.of("PSF_LEAVE_AT_EXIT", "on");
        try (TrainingProcesses job = new TrainingProcesses(folder, settings, STEPS, Duration.ofSeconds(60))
                .running(SampleCountsMain.class)) {
            job.start();
            for (int i = 0; i < 3; i++) {
                long before = job.printed("worker", "STEP");
                long steps = 20L + random.nextInt(60);
                job.superviseUntil(() -> job.printed("worker", "STEP") > before + steps);
                String victim = TrainingProcesses.WORKERS.get(random.nextInt(3));
                if (job.hasEnded(victim)) {
                    continue;
                }
                if (random.nextBoolean() || victim.equals("worker 0")) { // the job ends when all workers have left
                    job.kill(victim);
                } else {
                    ProcessesTest.signal("TERM", job.node(victim));
                    assertThat(job.node(victim).waitFor(20, TimeUnit.SECONDS)).isTrue();
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1000));
                job.start(victim, Map.of());
            }
            job.superviseUntil(() -> job.printed("worker", "SAMPLES") > 0 && job.hasEnded("scheduler"));
            job.endWorkers(); // one may have come too late
            List<String> samples = job.lines("SAMPLES");
            assertThat(samples.stream().distinct()).as(job::toString).hasSize(1);
            String[] counts = samples.get(0).split(" ", -1);
            for (int rank = 0; rank < TrainingProcesses.WORKERS.size(); rank++) {
                assertThat(Integer.parseInt(counts[2 * rank + 1]))
                        .as(job::toString)
                        .isPositive();
                assertThat(counts[2 * rank + 2]).as(job::toString).isEqualTo("0");
            }
        }
    }
}
