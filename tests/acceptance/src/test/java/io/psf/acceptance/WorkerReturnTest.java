package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lost worker is awaited, and the model is that of an undisturbed training. The nodes are processes. */
@Timeout(180)
@Tag("chaos")
final class WorkerReturnTest {
    private static final int STEPS = 120;
    private static final Duration LONGEST = Duration.ofSeconds(90);

    private static String undisturbed = "";

    @TempDir
    private Path folder;

    @BeforeAll
    static void trainUndisturbed(@TempDir Path folder) throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start();
            undisturbed = model(job, 3);
        }
    }

    private static TrainingProcesses job(Path folder, Map<String, String> settings) throws IOException {
        return new TrainingProcesses(folder, settings, STEPS, LONGEST);
    }

    /** Waits for the end of the job, and returns the model that so many workers have printed. */
    private static String model(TrainingProcesses job, int workers) throws Exception {
        job.superviseUntil(job::hasEnded);
        job.awaitEnd();
        assertThat(job.node("scheduler").exitValue()).as(job::toString).isZero();
        List<String> models = job.models();
        assertThat(models).as(job::toString).hasSize(workers);
        assertThat(models.stream().distinct()).as(job::toString).hasSize(1);
        return models.get(0);
    }

    @Test
    void aWorkerThatIsKilledInAStepComesBack() throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start();
            job.await("worker 1", "STEP 13");
            job.kill("worker 1");
            assertThat(model(job, 3)).as(job::toString).isEqualTo(undisturbed);
        }
    }

    /**
     * The others wait in the cut for the lost one, also in the last one: worker 0 would lead the save, worker 2 would
     * not.
     */
    @ParameterizedTest
    @ValueSource(strings = {"worker 2 20", "worker 0 120", "worker 2 120"})
    void aWorkerThatEndsInACutComesBack(String name) throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start("scheduler", Map.of());
            String halts = name.substring(0, 8);
            for (String server : TrainingProcesses.SERVERS) {
                job.start(server, Map.of());
            }
            for (String worker : TrainingProcesses.WORKERS) {
                job.start(worker, worker.equals(halts) ? Map.of("HALT_AT", name.substring(9)) : Map.of());
            }
            job.until(() -> !job.node(halts).isAlive());
            job.await("scheduler", "lost worker");
            assertThat(model(job, 3)).as(job::toString).isEqualTo(undisturbed);
            assertThat(job.printed("worker 1", "goes back from step " + name.substring(9)))
                    .as(job::toString)
                    .isPositive();
        }
    }

    /** It is killed again when it has joined, and before the others have gone back with it. */
    @Test
    void aWorkerThatIsLostTwiceComesBack() throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start();
            job.await("worker 1", "STEP 10");
            job.kill("worker 1");
            job.superviseUntil(() -> job.printed("scheduler", "worker at") > 3);
            job.kill("worker 1");
            assertThat(model(job, 3)).as(job::toString).isEqualTo(undisturbed);
        }
    }

    /** It joins before the server counts as lost, and connects to the one that takes its place. */
    @Test
    void aWorkerComesBackWhileAServerIsLost() throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start();
            job.await("worker 1", "STEP 10");
            job.kill("worker 1");
            job.await("scheduler", "lost worker");
            job.kill("server 2");
            job.start("worker 1", Map.of());
            job.await("scheduler", "lost server");
            assertThat(model(job, 3)).as(job::toString).isEqualTo(undisturbed);
        }
    }

    /** No worker is left meanwhile: the job would have ended if none was awaited. */
    @Test
    void aJobWhoseWorkersAreAllLostGoesOn() throws Exception {
        try (TrainingProcesses job = job(folder, Map.of())) {
            job.start();
            job.await("worker 1", "STEP 10");
            for (String worker : TrainingProcesses.WORKERS) {
                job.kill(worker);
            }
            job.until(() -> job.printed("scheduler", "lost worker") == 3);
            assertThat(model(job, 3)).as(job::toString).isEqualTo(undisturbed);
        }
    }

    @Test
    void theOthersGoOnWithoutAWorkerThatDoesNotComeBackInTime() throws Exception {
        try (TrainingProcesses job = job(folder, Map.of("PSF_WORKER_RETURN", "3s"))) {
            job.start();
            job.await("worker 1", "STEP 10");
            job.kill("worker 1");
            job.await("scheduler", "lost worker");
            long reached = job.printed("worker 0", "STEP");
            job.await("scheduler", "has not come back");
            assertThat(job.printed("worker 0", "STEP")).as(job::toString).isBetween(reached, reached + 1);
            job.until(() -> job.hasEnded("worker 0") && job.hasEnded("worker 2"));
            assertThat(job.models()).hasSize(2).doesNotContain(undisturbed);
            assertThat(job.node("scheduler").waitFor()).isZero();
            assertThat(job.printed("scheduler", "no worker came in its place within 3000 ms"))
                    .isPositive();
        }
    }
}
