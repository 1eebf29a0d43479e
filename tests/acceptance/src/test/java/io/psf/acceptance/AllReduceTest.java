package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.builtin.AllReduce;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.runtime.PsCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Values of all workers combined, and weights that are stepped with them. */
@Timeout(120)
final class AllReduceTest {
    private static final int WORKERS = 3;

    /** Values of different magnitudes: sums in another order than that of the ranks differ in some bits. */
    private static float[] of(int worker, int round, int n) {
        Random random = new Random(31 * round + worker);
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) (random.nextGaussian() * Math.pow(10, worker * 3 - 3));
        }
        return values;
    }

    private static void assertReduced(float[] reduced, int round, boolean max, float divisor) {
        int n = reduced.length;
        float[][] all = new float[WORKERS][];
        for (int worker = 0; worker < WORKERS; worker++) {
            all[worker] = of(worker, round, n);
        }
        float[] expected = all[0];
        for (int i = 0; i < n; i++) {
            for (int worker = 1; worker < WORKERS; worker++) {
                expected[i] = max ? Math.max(expected[i], all[worker][i]) : expected[i] + all[worker][i];
            }
            expected[i] /= divisor;
        }
        assertThat(Arrays.mismatch(reduced, expected))
                .as("element in round %d", round)
                .isNegative();
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 1", "MEMORY, 70000", "TCP, 1001", "TCP_MAPPED, 70000", "SHARED_MEMORY, 70000", "NETTY, 1001"})
    void everyWorkerReceivesTheSameSumMeanAndMaximum(Over over, int n) {
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            onEachWorker(cluster, worker -> {
                AllReduce reduce = AllReduce.of(worker, "values", n);
                for (int round = 0; round < 9; round++) {
                    float[] values = of(worker.rank(), round, n);
                    switch (round % 3) {
                        case 0 -> {
                            reduce.sum(values).await();
                            assertReduced(values, round, false, 1);
                        }
                        case 1 -> {
                            reduce.mean(values).await();
                            assertReduced(values, round, false, WORKERS);
                        }
                        default -> {
                            reduce.max(values).await();
                            assertReduced(values, round, true, 1);
                        }
                    }
                }
                float[] again = of(worker.rank(), 9, n);
                AllReduce.of(worker, "values", n).sum(again).await();
                assertReduced(again, 9, false, 1);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aWorkerThatLeavesIsNotWaitedFor(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            onEachWorker(cluster, worker -> {
                AllReduce reduce = AllReduce.of(worker, "values", 4);
                float[] values = {1, 2, 3, 4};
                reduce.sum(values).await();
                assertThat(values).containsExactly(3, 6, 9, 12);
                if (worker.rank() == 1) {
                    worker.close();
                } else {
                    reduce.sum(values).await();
                    assertThat(values).containsExactly(6, 12, 18, 24);
                    reduce.mean(values).await();
                    assertThat(values).containsExactly(6, 12, 18, 24);
                }
            });
        }
    }

    /** The all-reduces of different numbers are never mixed. */
    @Test
    void aWorkerThatContinuesAfterAFailureFailsTheOthers() {
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .deadline(Duration.ofSeconds(30))
                .start()) {
            AllReduce zero = AllReduce.of(cluster.worker(0), "values", 4);
            AllReduce one = AllReduce.of(cluster.worker(1), "values", 4);
            assertThatThrownBy(() -> AllReduce.of(cluster.worker(1), "values", 5))
                    .hasMessageContaining("ALREADY_EXISTS");
            Pending<?> lonely = zero.sum(new float[4]);
            var unused = Tensors.list(cluster.worker(0)); // when the servers have received the sum
            assertThatThrownBy(() -> one.max(new float[4]).await())
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                    .hasMessageContaining("operation: MAX (expected: SUM");
            float[] values = {1, 2, 3, 4};
            Pending<?> next = one.sum(values);
            assertThatThrownBy(lonely::await)
                    .hasMessageContaining("all-reduce 0: worker 1 has begun all-reduce 1 (expected: the same number");
            zero.sum(new float[] {10, 10, 10, 10}).await();
            next.await();
            assertThat(values).containsExactly(11, 12, 13, 14);
        }
    }

    /** The same spec, on the servers and on each worker, in one line each. */
    @ParameterizedTest
    @CsvSource({"MEMORY, SUM", "TCP, MEAN", "SHARED_MEMORY, MEAN"})
    void reducedWeightsAreThoseOnTheServersBitForBit(Over over, Updates updates) {
        TensorSpec spec = TensorSpec.dense("a", 700, 3)
                .initializer(Initializers.normal(0, 1, 7))
                .optimizer(Optimizers.adam(0.01))
                .updates(updates);
        TensorSpec same = TensorSpec.dense("b", 700, 3)
                .initializer(spec.initializer())
                .optimizer(spec.optimizer())
                .updates(updates);
        int n = 2100;
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            onEachWorker(cluster, worker -> {
                Weights servers = Weights.onServers(worker, spec);
                Weights reduced = Weights.reduced(worker, same);
                float[] a = new float[n];
                float[] b = new float[n];
                for (int round = 0; round < 5; round++) {
                    servers.pull(a).await();
                    reduced.pull(b).await();
                    assertThat(b).as("round %d", round).isEqualTo(a);
                    float[] gradient = of(worker.rank(), round, n);
                    Pending<?> one = servers.push(gradient);
                    Pending<?> two = reduced.push(gradient);
                    one.await();
                    if (round % 2 == 0) {
                        two.await();
                    }
                    assertThat(gradient).isEqualTo(of(worker.rank(), round, n));
                    worker.barrier();
                }
                assertThat(b).isNotEqualTo(of(0, 0, n));
                assertThat(reduced.tensor().name()).isEqualTo("b");
                assertThatThrownBy(() -> Weights.reduced(worker, TensorSpec.dense("c", 3)))
                        .hasMessageContaining("updates EACH");
            });
        }
    }

    /** Norms over the tensor are sums, which the servers add slice by slice. */
    @Test
    void optimizersThatNeedNormsStepReducedWeightsToo() {
        OptimizerSpec lamb = Optimizers.lamb(0.01).clipNorm(5);
        TensorSpec spec = TensorSpec.dense("a", 700, 3)
                .initializer(Initializers.normal(0, 1, 7))
                .optimizer(lamb)
                .updates(Updates.MEAN);
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            onEachWorker(cluster, worker -> {
                Weights servers = Weights.onServers(worker, spec);
                Weights reduced = Weights.reduced(
                        worker,
                        TensorSpec.dense("b", 700, 3)
                                .initializer(spec.initializer())
                                .optimizer(lamb)
                                .updates(Updates.MEAN));
                float[] a = new float[2100];
                float[] b = new float[2100];
                for (int round = 0; round < 5; round++) {
                    float[] gradient = of(worker.rank(), round, 2100);
                    servers.push(gradient).await();
                    reduced.push(gradient).await();
                }
                servers.pull(a).await();
                reduced.pull(b).await();
                assertThat(b).containsExactly(a, within(1e-5f));
            });
        }
    }
}
