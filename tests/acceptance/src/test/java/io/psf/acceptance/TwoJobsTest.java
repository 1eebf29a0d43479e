package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two jobs with one directory for checkpoints: each model is saved by one of them. */
@Timeout(120)
final class TwoJobsTest {
    @TempDir
    Path folder = Path.of("");

    private static ModelCheckpoints model(Worker worker, String name) {
        Tensors.init(worker, TensorSpec.dense("w", 100));
        return ModelCheckpoints.at(worker, name);
    }

    private PsCluster cluster() {
        return PsCluster.builder().servers(2).checkpoints(folder).start();
    }

    private static List<Long> steps(ModelCheckpoints model) {
        return model.list().stream().map(each -> each.step()).toList();
    }

    private static void assertRefused(ModelCheckpoints model, long process) {
        PsException e = catchThrowableOfType(PsException.class, () -> model.save(1, Map.of()));
        assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION);
        assertThat(e)
                .hasMessageContaining("another job saves there, process " + process + " on ")
                .hasMessageContaining("a model name of its own for each job");
    }

    @Test
    void theSecondJobThatSavesAModelIsRefusedUntilTheFirstHasEnded() {
        try (PsCluster second = cluster()) {
            ModelCheckpoints same = model(second.worker(), "model");
            try (PsCluster first = cluster()) {
                ModelCheckpoints model = model(first.worker(), "model");
                model.save(1, Map.of());
                assertRefused(same, ProcessHandle.current().pid());
                assertThat(steps(model)).containsExactly(1L);
                assertThat(same.loadLatest()).as("a load takes no lock").isPresent();
                model(second.worker(), "other").save(1, Map.of());
                model.save(2, Map.of());
                assertRefused(same, ProcessHandle.current().pid());
            }
            same.save(3, Map.of());
            assertThat(steps(same)).containsExactly(3L, 2L, 1L);
        }
    }

    @Test
    void aJobThatWasKilledLeavesItsModelToTheNext() {
        try (PsCluster next = cluster();
                LocalJob job = LocalJob.builder()
                        .servers(1)
                        .workers(1)
                        .environment(Map.of("PSF_HEARTBEAT_LIMIT", "2s", "PSF_CHECKPOINTS", folder.toString()))
                        .endOnFailure(false)
                        .onLine((node, line) -> {})
                        .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
            model(worker, "model").save(1, Map.of());
            ModelCheckpoints same = model(next.worker(), "model");
            assertRefused(same, job.process("server 0").pid());
            job.kill("server 0");
            same.save(2, Map.of());
            assertThat(steps(same)).containsExactly(2L, 1L);
        }
    }
}
