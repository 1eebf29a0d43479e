package io.psf.builtin;

import static io.psf.builtin.SideBySide.ended;
import static io.psf.builtin.SideBySide.onAll;
import static io.psf.builtin.SideBySide.pass;
import static io.psf.builtin.SideBySide.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Timeout(120)
class TrainingLoopTest {
    private static final int N = 1000;

    @TempDir
    private Path folder;

    private PsCluster.Builder cluster(int servers, int workers) {
        return PsCluster.builder().servers(servers).workers(workers).checkpoints(folder);
    }

    private static void untilSaved(ModelCheckpoints checkpoints, long step) {
        until(() -> checkpoints.latest().filter(each -> each.step() == step).isPresent());
        pass(200); // the save is reported as ended after its manifest is there
    }

    private static TensorId rounds(Worker worker) {
        return Tensors.init(
                worker,
                TensorSpec.dense("rounds", N)
                        .slices(3)
                        .optimizer(Optimizers.add())
                        .updates(Updates.SUM));
    }

    private static TensorId each(Worker worker) {
        return Tensors.init(worker, TensorSpec.dense("each", N).slices(3).optimizer(Optimizers.add()));
    }

    private static float[] filled(long value) {
        float[] all = new float[N];
        Arrays.fill(all, (float) value);
        return all;
    }

    private static PsException rolledBack() {
        return new PsException(PsException.Code.ROLLED_BACK, "server 1: has come back with step 3");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aJobThatIsStartedAgainContinuesFromTheNewestCheckpoint(int servers) {
        List<Long> steps = new ArrayList<>();
        for (long until : new long[] {10, 14}) {
            try (PsCluster cluster = cluster(until == 10 ? 2 : servers, 2).start()) {
                List<Long> ends = onAll(cluster.workers(), worker -> {
                    TensorId rounds = rounds(worker);
                    AtomicLong position = new AtomicLong(-1);
                    return ModelCheckpoints.at(worker, "m")
                            .keep(9)
                            .everySteps(3)
                            .record(
                                    () -> Map.of("position", "" + position),
                                    saved -> position.set(Long.parseLong(saved.get("position"))))
                            .run(until, step -> {
                                assertThat(position.get()).isEqualTo(step == 1 ? -1 : 100L * worker.rank() + step - 1);
                                position.set(100L * worker.rank() + step);
                                if (worker.rank() == 0) {
                                    steps.add(step);
                                }
                                Tensors.push(worker, rounds, filled(step)).await();
                            });
                });
                assertThat(ends).containsOnly(until);
                assertThat(Tensors.pull(cluster.worker(), TensorId.of("rounds")))
                        .containsOnly((float) (until * (until + 1)));
                ModelCheckpoint last =
                        ModelCheckpoints.at(cluster.worker(), "m").latest().orElseThrow();
                assertThat(last.step()).isEqualTo(until);
                assertThat(last.record(1)).isEqualTo(Map.of("position", "" + (100 + until)));
            }
        }
        assertThat(steps).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L);
        try (PsCluster cluster = cluster(1, 1).start()) {
            TensorId rounds = rounds(cluster.worker());
            assertThat(ModelCheckpoints.at(cluster.worker(), "m").everySteps(3).run(14, step -> {
                        throw new AssertionError("step " + step);
                    }))
                    .isEqualTo(14);
            ModelCheckpoints.at(cluster.worker(), "m").list().forEach(each -> {
                ModelCheckpoints.at(cluster.worker(), "m").load(each.step());
                assertThat(Tensors.pull(cluster.worker(), rounds))
                        .as("checkpoint %s has the pushes of its steps alone", each.step())
                        .containsOnly((float) (each.step() * (each.step() + 1)));
            });
        }
    }

    /** Worker 0 has pushed its part of a round when worker 1 learns that the workers go back. */
    @Test
    void anOpenRoundIsDroppedWhenTheWorkersGoBack() {
        try (PsCluster cluster = cluster(2, 2).start()) {
            AtomicBoolean isBroken = new AtomicBoolean();
            Map<Integer, List<Long>> steps = new ConcurrentHashMap<>();
            onAll(cluster.workers(), worker -> {
                TensorId rounds = rounds(worker);
                TensorId each = each(worker);
                ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m");
                return checkpoints.everySteps(3).run(10, step -> {
                    steps.computeIfAbsent(worker.rank(), rank -> new ArrayList<>())
                            .add(step);
                    Tensors.push(worker, each, filled(step)).await();
                    if (step == 2 && worker.rank() == 0) {
                        untilSaved(checkpoints, 0); // so that the cut after step 3 is not skipped
                    }
                    if (step == 5 && worker.rank() == 1 && isBroken.compareAndSet(false, true)) {
                        untilSaved(checkpoints, 3);
                        until(() -> Rounds.of(worker, rounds).closed() == 4);
                        pass(200); // worker 0 has pushed
                        throw rolledBack();
                    }
                    Tensors.push(worker, rounds, filled(step)).await();
                });
            });
            assertThat(steps.get(0)).containsExactly(1L, 2L, 3L, 4L, 5L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
            assertThat(Tensors.pull(cluster.worker(), TensorId.of("rounds"))).containsOnly(110);
            assertThat(Tensors.pull(cluster.worker(), TensorId.of("each"))).containsOnly(110);
        }
    }

    /** The worker that does not learn of it waits for a clock, an all-reduce, a partial reduce. */
    @ParameterizedTest
    @ValueSource(strings = {"ssp", "allReduce", "weights", "partial", "lamb"})
    void whatWaitsForAnotherWorkerBeginsAnewWhenTheWorkersGoBack(String kind) {
        List<float[]> undisturbed = List.of();
        for (boolean disturbed : new boolean[] {false, true}) {
            try (PsCluster cluster = cluster(2, 2).start()) {
                AtomicBoolean isBroken = new AtomicBoolean(!disturbed);
                List<float[]> results = onAll(cluster.workers(), worker -> {
                    TensorId each = each(worker);
                    Weights weights = kind.equals("weights")
                            ? Weights.reduced(
                                    worker,
                                    TensorSpec.dense("weights", N)
                                            .slices(3)
                                            .optimizer(Optimizers.adam(0.1))
                                            .updates(Updates.MEAN))
                            : Weights.onServers(
                                    worker,
                                    TensorSpec.dense("lamb", 10, N / 10)
                                            .slices(3)
                                            .initializer(Initializers.normal(0, 1, 3))
                                            .optimizer(Optimizers.lamb(0.1))
                                            .updates(Updates.SUM));
                    AllReduce reduce = AllReduce.of(worker, "sums", N);
                    Ssp ssp = Ssp.join(worker, 7, 0);
                    PartialReduce partial = PartialReduce.of(worker, 8, 2, Duration.ofMinutes(1));
                    var unused = ModelCheckpoints.at(worker, "m-" + kind + disturbed)
                            .weights(weights)
                            .everySteps(3)
                            .run(10, step -> {
                                Tensors.push(worker, each, filled(step)).await();
                                if (step == 5 && worker.rank() == 1 && isBroken.compareAndSet(false, true)) {
                                    pass(300); // worker 0 waits
                                    throw new IllegalStateException("in the user's code", rolledBack());
                                }
                                float[] values = filled(step + worker.rank());
                                switch (kind) {
                                    case "ssp" -> ssp.tick();
                                    case "allReduce" -> {
                                        reduce.sum(values).await();
                                        assertThat(values).containsOnly((float) (2 * step + 1));
                                    }
                                    case "partial" ->
                                        assertThat(partial.partners()).containsExactly(0, 1);
                                    default -> weights.push(values).await();
                                }
                            });
                    float[] result = Tensors.pull(worker, each);
                    assertThat(result).containsOnly(110);
                    weights.pull(result).await();
                    return result;
                });
                if (disturbed) {
                    assertThat(results).usingRecursiveComparison().isEqualTo(undisturbed);
                } else {
                    undisturbed = results;
                }
            }
        }
    }

    @Test
    void aPushThatWasGivenUpIsDroppedByALoad() {
        try (PsCluster cluster = cluster(2, 2).start()) {
            onAll(cluster.workers(), worker -> {
                TensorId rounds = rounds(worker);
                ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m");
                Tensors.push(worker, rounds, filled(1)).await();
                checkpoints.save(1, Map.of());
                if (worker.rank() == 0) {
                    Pending<?> push = Tensors.push(worker, rounds, filled(50));
                    assertThatThrownBy(() -> push.await(Duration.ofMillis(300))).hasMessageContaining("TIMED_OUT");
                    push.cancel();
                }
                checkpoints.load(1);
                Tensors.push(worker, rounds, filled(2)).await();
                worker.barrier();
                assertThat(Tensors.pull(worker, rounds)).containsOnly(6);
                return true;
            });
        }
    }

    @Test
    void cutsByTimeHaveTheSameStepsOfAllWorkers() {
        try (PsCluster cluster = cluster(2, 3).start()) {
            onAll(cluster.workers(), worker -> {
                TensorId each = each(worker);
                ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").keep(1000);
                TrainingLoop loop = checkpoints.every(Duration.ofMillis(20));
                return loop.run(1_000_000, step -> {
                    Tensors.push(worker, each, filled(1)); // not awaited
                    if (step % 20 == 0) {
                        pass(worker.rank() == 2 ? 3 : 1); // the others are ahead, but not by seconds
                    } else if (worker.rank() == 0
                            && step % 50 == 10
                            && checkpoints.list().size() > 4) {
                        loop.stop();
                    }
                });
            });
            List<ModelCheckpoint> taken =
                    ModelCheckpoints.at(cluster.worker(), "m").list();
            assertThat(taken).hasSizeGreaterThan(3);
            onAll(cluster.workers(), worker -> {
                for (ModelCheckpoint each : taken) {
                    ModelCheckpoints.at(worker, "m").load(each.step());
                    long step = each.step();
                    assertThat(Tensors.pull(worker, TensorId.of("each"))).containsOnly((float) (3 * step));
                    worker.barrier();
                }
                return true;
            });
        }
    }

    @Test
    void aStopEndsAllLoopsAfterTheSameStep() {
        try (PsCluster cluster = cluster(1, 2).start()) {
            List<Long> ends = onAll(cluster.workers(), worker -> {
                TensorId rounds = rounds(worker);
                TrainingLoop loop = ModelCheckpoints.at(worker, "m").every(Duration.ofHours(1));
                return loop.run(1_000_000, step -> {
                    Tensors.push(worker, rounds, filled(step)).await();
                    if (worker.rank() == 1 && step == 20) {
                        loop.stop();
                    }
                });
            });
            assertThat(ends.get(0)).isEqualTo(ends.get(1)).isBetween(20L, 300L);
            assertThat(ModelCheckpoints.at(cluster.worker(), "m")
                            .latest()
                            .orElseThrow()
                            .step())
                    .isEqualTo(ends.get(0));
        }
    }

    /** The late worker has reduced weights and an all-reduce, too: they are those of the cut. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWorkerThatJoinsBeginsAtACutAndOneThatFailsIsNotWaitedFor(boolean bySteps) {
        try (PsCluster cluster = cluster(2, 2).moreWorkers().start()) {
            Map<Integer, long[]> ranges = new ConcurrentHashMap<>();
            AtomicLong reached = new AtomicLong();
            Function<Worker, float[]> training = worker -> {
                TensorId rounds = rounds(worker);
                Weights weights = Weights.reduced(
                        worker,
                        TensorSpec.dense("weights", N)
                                .optimizer(Optimizers.adam(0.1))
                                .updates(Updates.MEAN));
                ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").weights(weights);
                try {
                    var unused = (bySteps ? checkpoints.everySteps(70) : checkpoints.every(Duration.ofMillis(50)))
                            .run(300, step -> {
                                ranges.computeIfAbsent(worker.rank(), rank -> new long[] {step, step})[1] = step;
                                if (worker.rank() == 1 && step == 251) {
                                    worker.close();
                                    throw new IllegalStateException("worker 1 fails");
                                }
                                Tensors.push(worker, rounds, filled(1)).await();
                                weights.push(filled(step)).await();
                                reached.accumulateAndGet(step, Math::max);
                                if (step < 200) {
                                    pass(2);
                                }
                            });
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessage("worker 1 fails");
                    return new float[0];
                } catch (PsException e) {
                    worker.close(); // so that the others do not wait
                    throw e;
                }
                float[] values = new float[N];
                weights.pull(values).await();
                return values;
            };
            CompletableFuture<List<float[]>> first =
                    CompletableFuture.supplyAsync(() -> onAll(cluster.workers(), training));
            until(() -> reached.get() > 20);
            Worker late = cluster.join(-1);
            CompletableFuture<float[]> second = CompletableFuture.supplyAsync(() -> training.apply(late));
            List<float[]> others = ended(first);
            float[] ofLate = ended(second);
            assertThat(ranges.get(0)).containsExactly(1, 300);
            assertThat(ranges.get(1)).containsExactly(1, 251);
            long from = ranges.getOrDefault(2, new long[1])[0];
            assertThat(from).isBetween(20L, 250L);
            assertThat(Tensors.pull(late, TensorId.of("rounds"))).containsOnly((float) (300 + 250 + 300 - (from - 1)));
            assertThat(ofLate).isEqualTo(others.get(0));
        }
    }

    /** A file is where the folder of the model should be. */
    @Test
    void failedSavesAreLoggedAndThreeInARowAreAnError() throws IOException {
        Path model = folder.resolve("deep/m");
        try (PsCluster cluster = cluster(2, 2).start()) {
            Function<Worker, Long> training = worker -> {
                TensorId each = each(worker);
                ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "deep/m");
                try {
                    return checkpoints.everySteps(5).run(100, step -> {
                        Tensors.push(worker, each, filled(step)).await();
                        if (worker.rank() == 0 && step % 5 == 2 && (step <= 12 || step >= 27 && step <= 42)) {
                            untilSaved(checkpoints, step / 5 * 5); // so that no cut is skipped
                        }
                        if (worker.rank() == 0 && (step == 12 || step == 42)) {
                            breakFolder(model);
                        } else if (worker.rank() == 0 && step == 23) {
                            Files.delete(model);
                        }
                        worker.barrier();
                    });
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
            assertThatThrownBy(() -> onAll(cluster.workers(), training))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("STORAGE")
                    .hasMessageContaining("3 in a row");
            float[] values = Tensors.pull(cluster.worker(), TensorId.of("each"));
            assertThat(values).as("those of step 55").containsOnly(2 * 55 * 56 / 2);
        }
    }

    private static void breakFolder(Path model) throws IOException {
        try (var files = Files.walk(model)) {
            for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        Files.writeString(model, "not a folder");
    }
}
