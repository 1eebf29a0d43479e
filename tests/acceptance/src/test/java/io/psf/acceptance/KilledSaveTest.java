package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints of a model whose servers are killed. */
@Tag("long")
@Timeout(180)
final class KilledSaveTest {
    private static final TensorSpec SPEC =
            TensorSpec.table("w", 1_000_000, 8).optimizer(Optimizers.adam(0.01)); // 96 MB with the moments

    private static LocalJob job(Path folder) {
        return LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "3s", "PSF_CHECKPOINTS", folder.toString()))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start();
    }

    private static Worker connect(LocalJob job) {
        String[] address = job.schedulerAddress().split(":", 2);
        return Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
    }

    static boolean isWriting(Path step) {
        try (Stream<Path> files = Files.walk(step)) {
            return files.anyMatch(file -> file.toString().endsWith(".part"));
        } catch (IOException | UncheckedIOException e) {
            return false; // not there yet
        }
    }

    /** The kill comes while files are written. If the save completes all the same, it counts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void aServerThatIsKilledDuringASaveLeavesAWholeCheckpoint(int increments, @TempDir Path folder) throws Exception {
        float[][] values = new float[3][];
        boolean complete;
        long[] rows = LongStream.range(0, 400_000).map(i -> 2 * i).toArray(); // less than half of each server's
        float[] gradient = new float[rows.length * 8];
        gradient[5] = 1;
        gradient[gradient.length - 1] = -2;
        try (LocalJob job = job(folder)) {
            Worker worker = connect(job);
            TensorId w = Tensors.init(worker, SPEC);
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "run").keep(1).incremental(increments);
            for (int step = 1; step <= 2; step++) {
                Tensors.pushRows(worker, w, rows, gradient).await();
                values[step] = Tensors.pull(worker, w);
                if (step == 1) {
                    checkpoints.save(1, Map.of("position", "1"));
                }
            }
            CompletableFuture<Void> saving =
                    CompletableFuture.runAsync(() -> checkpoints.save(2, Map.of("position", "2")));
            while (!saving.isDone() && !isWriting(folder.resolve("run/step-000000000002"))) {
                Thread.onSpinWait();
            }
            job.kill("server 1");
            Throwable failure = saving.handle((saved, e) -> e).get(60, TimeUnit.SECONDS);
            complete = failure == null;
            assertThat(complete || failure.getCause() instanceof PsException).isTrue();
            await().until(() -> !worker.lost().isEmpty()); // the server that leads has heard of it before
            assertThatThrownBy(worker::close).isInstanceOf(PsException.class);
        }
        try (LocalJob job = job(folder);
                Worker worker = connect(job)) {
            TensorId w = Tensors.init(worker, SPEC);
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "run").keep(1).incremental(increments);
            ModelCheckpoint loaded = checkpoints.loadLatest().orElseThrow();
            assertThat(loaded.step()).isBetween(complete ? 2L : 1L, 2L);
            assertThat(loaded.record(0)).isEqualTo(Map.of("position", "" + loaded.step()));
            assertThat(Tensors.pull(worker, w)).isEqualTo(values[(int) loaded.step()]);
            checkpoints.save(3, Map.of());
            assertThat(checkpoints.list()).extracting(ModelCheckpoint::step).containsExactly(3L);
        }
    }
}
