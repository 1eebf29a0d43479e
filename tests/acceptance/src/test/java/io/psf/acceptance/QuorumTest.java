package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.AllReduce;
import io.psf.builtin.Late;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Rounds;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.internal.allreduce.Operation;
import io.psf.builtin.internal.allreduce.ReduceValuesPsf;
import io.psf.builtin.internal.ssp.SspInitPsf;
import io.psf.builtin.internal.ssp.SspSyncPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rounds that close without the slowest worker. */
@Timeout(120)
final class QuorumTest {
    private static final TensorSpec SPEC = TensorSpec.dense("w", 1000).optimizer(Optimizers.add());

    private static float[] filled(float value) {
        float[] values = new float[1000];
        Arrays.fill(values, value);
        return values;
    }

    /** Workers 0 and 1 push in each of 50 rounds, worker 2 after every fifth of them. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void ry5_aWorkerFiveTimesSlowerIsNotWaitedForAndItsPushesAreDroppedAndCounted(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            TensorSpec spec = SPEC.updates(Updates.MEAN).quorum(2, Late.DROP);
            TensorId w = Tensors.init(cluster.worker(), spec);
            for (int round = 1; round <= 50; round++) {
                Pending<?> first = Tensors.push(cluster.worker(0), w, filled(1));
                Tensors.push(cluster.worker(1), w, filled(3)).await();
                first.await();
                if (round % 5 == 0) {
                    float[] into = new float[1000];
                    Tensors.pushPull(cluster.worker(2), w, filled(1000), into).await();
                    assertThat(into).as("the values, without the push").containsOnly(2 * round);
                }
            }
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(100);
            assertThat(Tensors.rounds(cluster.worker(), w)).hasToString("closed=50, late={2=10}");
            Pending<?> first = Tensors.push(cluster.worker(2), w, filled(10));
            Tensors.push(cluster.worker(1), w, filled(20)).await();
            first.await();
            assertThat(Tensors.pull(cluster.worker(), w)).as("in time again").containsOnly(115);
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void lateSparsePushesAreAddedToTheNextRound(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            TensorId w = Tensors.init(
                    cluster.worker(),
                    TensorSpec.table("w", 10, 2).updates(Updates.SUM).quorum(2, Late.NEXT));
            long[] keys = {9, 0};
            for (int round = 1; round <= 20; round++) {
                int other = round % 5 == 0 ? 2 : 1; // worker 2 is late each time, worker 1 each time afterwards
                Pending<?> first = Tensors.pushRows(cluster.worker(0), w, keys, new float[] {1, 1, 1, 1});
                float[] more = {10 * other, 10 * other, 10 * other, 10 * other};
                Tensors.pushRows(cluster.worker(other), w, keys, more).await();
                first.await();
            }
            float[] into = new float[4];
            Tensors.pullRows(cluster.worker(), w, keys, into).await();
            assertThat(into).containsOnly(20 * 1 + 16 * 10 + 4 * 20);
            assertThat(Tensors.rounds(cluster.worker(), w)).hasToString("closed=20, late={1=3, 2=4}");
        }
    }

    /** Two workers compute 2 ms for each push, the third one 50 ms. */
    @ParameterizedTest
    @EnumSource(Late.class)
    void ry5_theRoundsGoAtThePaceOfTheOthers(Late late) {
        int rounds = 100;
        CountDownLatch running = new CountDownLatch(2);
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 3)) {
            long[] pushes = new long[1];
            long[] nanos = new long[1];
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, SPEC.updates(Updates.SUM).quorum(2, late));
                worker.barrier();
                if (worker.rank() == 2) {
                    while (running.getCount() > 0) {
                        push(worker, w, 50_000_000);
                        pushes[0]++;
                    }
                } else {
                    long begin = System.nanoTime();
                    for (int round = 0; round < rounds; round++) {
                        push(worker, w, 2_000_000);
                    }
                    nanos[0] = System.nanoTime() - begin;
                    running.countDown();
                    worker.close(); // the others are not to wait for it
                }
            });
            assertThat(nanos[0])
                    .as("below the time that the slowest takes for as many pushes")
                    .isLessThan(rounds * 50_000_000L);
            assertThat(pushes[0]).isLessThan(rounds);
            Rounds counted = Tensors.rounds(cluster.worker(2), TensorId.of("w"));
            assertThat(counted.closed()).isGreaterThanOrEqualTo(rounds * 9 / 10);
            assertThat(counted.late().getOrDefault(2, 0L)).isBetween(1L, pushes[0]);
        }
    }

    /** The third worker computes 20 ms for each push, the others nothing. */
    @ParameterizedTest
    @EnumSource(names = {"EACH", "SUM"})
    void ry5_asynchronousRunsAtTheFastPaceAndSynchronousAtTheSlowOne(Updates updates) {
        int pushes = 20;
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 3)) {
            long[] nanos = new long[3];
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, SPEC.updates(updates));
                worker.barrier();
                long begin = System.nanoTime();
                for (int i = 0; i < pushes; i++) {
                    push(worker, w, worker.rank() == 2 ? 20_000_000 : 0);
                }
                nanos[worker.rank()] = System.nanoTime() - begin;
            });
            assertThat(nanos[2]).isGreaterThanOrEqualTo(pushes * 20_000_000L);
            for (int fast = 0; fast < 2; fast++) {
                if (updates == Updates.EACH) {
                    assertThat(nanos[fast]).isLessThan(nanos[2] / 2);
                } else {
                    assertThat(nanos[fast]).isGreaterThanOrEqualTo((pushes - 1) * 20_000_000L);
                }
            }
            assertThat(Tensors.pull(cluster.worker(), TensorId.of("w"))).containsOnly(3 * pushes);
        }
    }

    private static void push(Worker worker, TensorId w, long nanosToCompute) {
        LockSupport.parkNanos(nanosToCompute);
        Tensors.push(worker, w, filled(1)).await();
    }

    /** The workers have 9, 6 and 3 batches. All of them wait at the barrier with their {@code Worker} open. */
    @ParameterizedTest
    @EnumSource(Late.class)
    void theLastRoundsCloseWhenTheOtherWorkersHaveEndedTheirPushes(Late late) {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 3)) {
            onEachWorker(cluster, worker -> {
                TensorId some = Tensors.init(worker, SPEC.updates(Updates.SUM).quorum(2, late));
                TensorId all = Tensors.init(worker, SPEC.named("all").updates(Updates.SUM));
                for (int batch = 3 * worker.rank(); batch < 9; batch++) {
                    Tensors.push(worker, all, filled(1)).await();
                }
                Tensors.endPushes(worker, all);
                for (int batch = 3 * worker.rank(); batch < 9; batch++) {
                    Tensors.push(worker, some, filled(1)).await();
                }
                Tensors.endPushes(worker, some);
                worker.barrier();
                assertThat(Tensors.pull(worker, all)).containsOnly(9 + 6 + 3);
            });
            assertThat(Tensors.rounds(cluster.worker(), TensorId.of("all")).closed())
                    .isEqualTo(9);
        }
    }

    @Test
    void aTimeoutNamesTheWorkersThatAreWaitedFor() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 3)) {
            Worker worker = cluster.worker(1);
            TensorId all = Tensors.init(worker, SPEC.named("all").slices(1).updates(Updates.SUM));
            TensorId some =
                    Tensors.init(worker, SPEC.slices(1).updates(Updates.SUM).quorum(2, Late.DROP));
            assertThatThrownBy(() -> DensePushPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(2))
                            .call(all, FloatArray.wrap(filled(1)))
                            .await())
                    .hasMessageStartingWith(
                            "TIMED_OUT: workers without a push in round 1: [0, 2] (expected: none of the workers"
                                    + " that were present when it opened, still are, and have not ended their pushes); the push was not applied in psf.dense.push on tensor \"all\"");
            assertThatThrownBy(() -> SparsePushPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(2))
                            .call(some, LongArray.of(1), FloatArray.of(1))
                            .await())
                    .hasMessageStartingWith("TIMED_OUT: workers without a push in round 1: [0, 2]")
                    .hasMessageContaining("or 2 pushes instead of 1)");
            assertThatThrownBy(() -> worker.barrier(Duration.ofSeconds(2)))
                    .hasMessageContaining("TIMED_OUT: workers that have not called the barrier: [0, 2]");
            var unused = AllReduce.of(worker, "reduced", 4);
            assertThatThrownBy(() -> ReduceValuesPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(2))
                            .call(TensorId.of("reduced"), Operation.SUM, 0, FloatArray.of(1, 2, 3, 4))
                            .await())
                    .hasMessageContaining("TIMED_OUT: workers that have not called all-reduce 0: [0, 2]");
            SspInitPsf.stub(worker).call(7, 2, 0).await();
            SspInitPsf.stub(cluster.worker(2)).call(7, 2, 0).await();
            assertThatThrownBy(() -> SspSyncPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(2))
                            .call(7, 0, 3)
                            .await())
                    .hasMessageContaining(
                            "TIMED_OUT: workers behind clock 3, with their clocks: {2=0} (expected: none in"
                                    + " group 7");
        }
    }

    /** Each slice closes rounds of its own, so there is no norm over all slices. */
    @Test
    void anOptimizerThatNeedsSumsOverAllSlicesHasAllWorkersOrOneSlice() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            TensorSpec spec = TensorSpec.dense("norm", 4)
                    .optimizer(Optimizers.sgd(1).clipNorm(1))
                    .updates(Updates.SUM)
                    .quorum(1, Late.DROP);
            assertThatThrownBy(() -> Tensors.init(cluster.worker(), spec))
                    .hasMessageContaining("BAD_REQUEST")
                    .hasMessageContaining("needs sums over all slices, with a quorum (expected: one slice");
            TensorId one = Tensors.init(
                    cluster.worker(),
                    TensorSpec.dense("one", 4)
                            .slices(1)
                            .optimizer(spec.optimizer())
                            .updates(Updates.SUM)
                            .quorum(1, Late.DROP));
            Tensors.push(cluster.worker(), one, new float[] {3, 0, 4, 0}).await();
            assertThat(Tensors.pull(cluster.worker(), one)).containsExactly(-0.6f, 0, -0.8f, 0);
        }
    }

    /** Each push is checked by itself, on all slices, whatever the rounds of the slices have. */
    @Test
    void aPushThatIsNotFiniteIsLeftOutOfRoundsWithAQuorum() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            TensorSpec spec = TensorSpec.dense("finite", 8)
                    .slices(4)
                    .optimizer(Optimizers.sgd(1).skipNonFinite())
                    .updates(Updates.MEAN)
                    .quorum(1, Late.NEXT);
            TensorId w = Tensors.init(cluster.worker(0), spec);
            float[] bad = {1, 1, 1, 1, 1, 1, 1, Float.NaN};
            Tensors.push(cluster.worker(0), w, bad).await();
            Tensors.push(cluster.worker(0), w, new float[] {1, 1, 1, 1, 1, 1, 1, 1})
                    .await();
            assertThat(Tensors.pull(cluster.worker(0), w)).containsOnly(-1);
            assertThat(Tensors.rounds(cluster.worker(0), w)).hasToString("closed=2, late={}, skipped={0=1}");
        }
    }

    @Test
    void aQuorumIsPartOfTheDeclaration() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            TensorSpec spec = SPEC.updates(Updates.SUM).quorum(1, Late.DROP);
            Tensors.init(cluster.worker(0), spec);
            Tensors.init(cluster.worker(1), spec);
            assertThatThrownBy(() -> Tensors.init(cluster.worker(1), SPEC.updates(Updates.SUM)))
                    .hasMessageContaining("ALREADY_EXISTS")
                    .hasMessageContaining("quorum=1 (late: DROP)");
            assertThat(Tensors.list(cluster.worker()).get(0).declaration()).contains("quorum=1 (late: DROP)");
            assertThatThrownBy(() -> SPEC.quorum(1, Late.DROP)).hasMessageContaining("updates EACH");
            assertThatThrownBy(() -> spec.quorum(0, Late.DROP)).hasMessageContaining("quorum of tensor \"w\": 0");
        }
    }
}
