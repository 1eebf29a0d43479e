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

/** Epochs of synchronous training with unequal shares of the data, whose servers and workers are killed. */
@Timeout(240)
@Tag("chaos")
final class KilledEpochsTest {
    private static final int EPOCHS = 20;

    /** Server 0 leads the ends of epochs. */
    @Test
    void theModelIsThatOfAnUndisturbedTraining(@TempDir Path folder) throws Exception {
        String undisturbed = train(folder.resolve("undisturbed"), List.of());
        assertThat(train(folder.resolve("disturbed"), List.of("server 1", "worker 2", "server 0", "worker 0")))
                .isEqualTo(undisturbed);
    }

    private static String train(Path checkpoints, List<String> victims) throws IOException, InterruptedException {
        try (TrainingProcesses job = new TrainingProcesses(checkpoints, Map.of(), EPOCHS, Duration.ofSeconds(100))) {
            return job.running(EpochsMain.class).train(victims);
        }
    }
}
