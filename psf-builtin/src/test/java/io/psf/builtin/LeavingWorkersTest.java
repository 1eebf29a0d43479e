package io.psf.builtin;

import static io.psf.builtin.SideBySide.ended;
import static io.psf.builtin.SideBySide.pass;
import static io.psf.builtin.SideBySide.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that leave a training loop in order: each sample counts once, also those since the last checkpoint. */
@Timeout(60)
class LeavingWorkersTest {
    private static final int STEPS = 20;
    /** Steps enough for a worker to join before the last one. */
    private static final int MANY = 100;

    private static final TensorSpec COUNTS = TensorSpec.dense("counts", 3, MANY).optimizer(Optimizers.add());

    @TempDir
    private Path folder;

    /** The work of a step besides the push. */
    private interface More {
        void at(long step, TrainingLoop loop) throws Exception;
    }

    private PsCluster.Builder cluster(int workers) {
        return PsCluster.builder()
                .servers(2)
                .workers(workers)
                .checkpoints(folder)
                .moreWorkers();
    }

    private static ModelCheckpoints model(Worker worker) {
        return ModelCheckpoints.at(worker, "m").keep(9);
    }

    /** Trains: each step takes the next sample of this worker, and counts it in a column of its own. */
    private static long train(Worker worker, int row, More more) throws Exception {
        return train(worker, row, STEPS, more);
    }

    private static long train(Worker worker, int row, long steps, More more) throws Exception {
        TensorId counts = Tensors.init(worker, COUNTS);
        int[] next = {0};
        TrainingLoop[] loop = new TrainingLoop[1];
        loop[0] = model(worker)
                .everySteps(5)
                .record(() -> Map.of("next", "" + next[0]), saved -> next[0] = Integer.parseInt(saved.get("next")));
        return loop[0].run(steps, step -> {
            float[] values = new float[MANY];
            values[next[0]++] = 1;
            SparsePushPsf.stub(worker)
                    .call(counts, LongArray.of(row), FloatArray.wrap(values))
                    .await();
            more.at(step, loop[0]);
        });
    }

    private static CompletableFuture<Long> training(Worker worker, int row, More more) {
        return training(worker, row, STEPS, more);
    }

    private static CompletableFuture<Long> training(Worker worker, int row, long steps, More more) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return train(worker, row, steps, more);
            } catch (Exception e) {
                throw e instanceof RuntimeException known ? known : new IllegalStateException(e);
            }
        });
    }

    /** Trains as worker 1, which leaves after step 7. */
    private static CompletableFuture<Long> leavingAfter7(Worker worker) {
        return leavingAfter7(worker, STEPS);
    }

    private static CompletableFuture<Long> leavingAfter7(Worker worker, long steps) {
        return training(worker, 1, steps, (step, loop) -> {
            if (step == 7) {
                loop.leave();
            }
        });
    }

    private static float[] counts(Worker worker, int row) {
        float[] all = Tensors.pull(worker, TensorId.of("counts"));
        return Arrays.copyOfRange(all, row * MANY, (row + 1) * MANY);
    }

    /** Returns how often each sample counts if a worker has trained so many steps. */
    private static float[] ones(int steps) {
        float[] ones = new float[MANY];
        Arrays.fill(ones, 0, steps, 1);
        return ones;
    }

    private static void untilSaved(Worker worker, long step) {
        until(() -> model(worker).latest().filter(each -> each.step() == step).isPresent());
    }

    @Test
    void theNextCheckpointHasTheRecordOfAWorkerThatHasLeft() {
        try (PsCluster cluster = cluster(2).start()) {
            CompletableFuture<Long> leaver = new CompletableFuture<>();
            CompletableFuture<Long> first = training(cluster.worker(0), 0, (step, loop) -> {
                if (step == 8) {
                    leaver.join();
                }
            });
            CompletableFuture<Long> second = leavingAfter7(cluster.worker(1));
            second.thenAccept(leaver::complete);
            assertThat(ended(second)).isEqualTo(7);
            cluster.worker(1).close();
            assertThat(ended(first)).isEqualTo(STEPS);
            for (ModelCheckpoint each : model(cluster.worker()).list()) {
                long of = Math.min(each.step(), 7);
                assertThat(each.record(1)).as("step %s", each.step()).isEqualTo(Map.of("next", "" + of));
                assertThat(each.recordSteps()).containsEntry(1, of).containsEntry(0, each.step());
            }
            assertThat(counts(cluster.worker(), 0)).isEqualTo(ones(STEPS));
            assertThat(counts(cluster.worker(), 1)).isEqualTo(ones(7));
        }
    }

    @Test
    void aWorkerThatComesBackBeforeTheNextCheckpointContinuesFromItsRecord() {
        try (PsCluster cluster = cluster(2).start()) {
            CompletableFuture<Worker> back = new CompletableFuture<>();
            CompletableFuture<Long> joined = new CompletableFuture<>();
            CompletableFuture<Long> first = training(cluster.worker(0), 0, MANY, (step, loop) -> {
                if (step == 8) {
                    back.join();
                } else if (step > 8 && !joined.isDone()) {
                    pass(50); // the late worker asks to join
                }
            });
            assertThat(ended(leavingAfter7(cluster.worker(1), MANY))).isEqualTo(7);
            cluster.worker(1).close();
            Worker late = cluster.join(1);
            CompletableFuture<Long> third = training(late, 1, MANY, (step, loop) -> joined.complete(step));
            back.complete(late);
            assertThat(ended(first)).isEqualTo(MANY);
            assertThat(ended(third)).isEqualTo(MANY);
            float[] counts = counts(cluster.worker(), 1);
            int trained =
                    (int) IntStream.range(0, MANY).filter(i -> counts[i] > 0).count();
            assertThat(trained).isEqualTo(7 + MANY - (int) (joined.join() - 1));
            assertThat(counts(cluster.worker(), 1)).isEqualTo(ones(trained));
        }
    }

    @Test
    void aRecordIsDroppedWithThePushesThatAreRolledBack() {
        try (PsCluster cluster = cluster(2).start()) {
            AtomicBoolean isBroken = new AtomicBoolean();
            CompletableFuture<Long> leaver = new CompletableFuture<>();
            CompletableFuture<Long> first = training(cluster.worker(0), 0, (step, loop) -> {
                if (step == 8 && isBroken.compareAndSet(false, true)) {
                    leaver.join();
                    untilSaved(cluster.worker(0), 5);
                    throw new PsException(PsException.Code.ROLLED_BACK, "server 1: has come back");
                }
            });
            CompletableFuture<Long> second = leavingAfter7(cluster.worker(1));
            second.thenAccept(leaver::complete);
            assertThat(ended(second)).isEqualTo(7);
            cluster.worker(1).close();
            assertThat(ended(first)).isEqualTo(STEPS);
            ModelCheckpoint last = model(cluster.worker()).latest().orElseThrow();
            assertThat(last.record(1)).isEqualTo(Map.of("next", "5"));
            assertThat(counts(cluster.worker(), 0)).isEqualTo(ones(STEPS));
            assertThat(counts(cluster.worker(), 1)).isEqualTo(ones(5));
        }
    }

    @Test
    void aJobOfFewerWorkersKeepsTheRecordsOfTheOthers() {
        int[] workers = {3, 2, 3};
        for (int run = 0; run < workers.length; run++) {
            int steps = 6 * (run + 1);
            try (PsCluster cluster = cluster(workers[run]).start()) {
                List<CompletableFuture<Long>> running = cluster.workers().stream()
                        .map(worker -> training(worker, worker.rank(), steps, (step, loop) -> {}))
                        .toList();
                running.forEach(each -> assertThat(ended(each)).isEqualTo(steps));
                for (int row = 0; row < 3; row++) {
                    assertThat(counts(cluster.worker(), row))
                            .as("worker %s in run %s", row, run)
                            .isEqualTo(ones(row < 2 ? steps : run == 2 ? 12 : 6));
                }
            }
        }
    }

    /** Nobody else trains: the tensors go back, to what the worker goes on from. */
    @Test
    void aWorkerThatComesWhenAllHaveFailedGoesBackToTheCheckpoint() {
        try (PsCluster cluster = cluster(1).start()) {
            assertThatThrownBy(() -> train(cluster.worker(), 0, (step, loop) -> {
                        if (step == 8) {
                            untilSaved(cluster.worker(), 5);
                            throw new IllegalStateException("step 8");
                        }
                    }))
                    .hasMessage("step 8");
            Worker late = cluster.join(-1);
            cluster.worker(0).close();
            until(() -> late.members().stream().noneMatch(each -> each.role() == Role.WORKER && each.rank() == 0));
            assertThat(ended(training(late, 1, (step, loop) -> {}))).isEqualTo(STEPS);
            assertThat(counts(late, 0)).as("of the worker that failed").isEqualTo(ones(5));
            assertThat(counts(late, 1)).isEqualTo(ones(STEPS - 5));
        }
    }
}
