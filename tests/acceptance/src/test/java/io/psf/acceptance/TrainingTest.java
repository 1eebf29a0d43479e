package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What pushes and pulls of two workers on two servers come to, exactly; over both ways for frames. */
@Timeout(180)
final class TrainingTest {
    private static float[] filled(int n, float value) {
        float[] values = new float[n];
        Arrays.fill(values, value);
        return values;
    }

    /** MXNet's test of dist_sync: w += 2 sum, ones at first. */
    @ParameterizedTest
    @CsvSource({"MEMORY, 2, 3", "TCP, 2, 3", "MEMORY, 1200, 1200", "TCP, 1200, 1200"})
    void synchronousPushesAreSummedAndAppliedOncePerRound(Over over, int rows, int width) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> synchronousRounds(worker, rows, width));
        }
    }

    static void synchronousRounds(Worker worker, int rows, int width) {
        TensorId w = Tensors.init(
                worker,
                TensorSpec.dense("w", rows, width)
                        .initializer(Initializers.constant(1))
                        .optimizer(Optimizers.add(2))
                        .updates(Updates.SUM));
        int n = worker.workers();
        for (int i = 0; i < 7; i++) {
            var unused = Tensors.push(worker, w, filled(rows * width, worker.rank() + 1));
            float[] pulled = Tensors.pull(worker, w);
            Values.assertOnly(pulled, n * (n + 1) * (i + 1) + 1);
            worker.await(w);
            worker.barrier();
        }
    }

    /** MXNet's row-sparse test: push row (rank mod 2), pull random rows, duplicates included. */
    @ParameterizedTest
    @CsvSource({"MEMORY, 2, 3", "TCP, 2, 3", "MEMORY, 1200, 1200", "TCP, 1200, 1200"})
    void synchronousSparsePushesChangeTheirRowsAlone(Over over, int rows, int width) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(
                        worker,
                        TensorSpec.table("w", rows, width)
                                .initializer(Initializers.constant(1))
                                .optimizer(Optimizers.add(2))
                                .updates(Updates.SUM));
                Random random = new Random(worker.rank());
                for (int i = 0; i < 7; i++) {
                    long[] mine = {worker.rank() % 2};
                    var unused = Tensors.pushRows(worker, w, mine, filled(width, worker.rank() + 1));
                    long[] asked = random.longs(rows, 0, rows).toArray();
                    float[] pulled = new float[rows * width];
                    Tensors.pullRows(worker, w, asked, pulled).await();
                    for (int at = 0; at < rows; at++) {
                        float expected = asked[at] < 2 ? 1 + 2 * (asked[at] + 1) * (i + 1) : 1;
                        Values.assertOnly(Arrays.copyOfRange(pulled, at * width, (at + 1) * width), expected);
                    }
                    worker.await(w);
                    worker.barrier();
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void pushingNoKeysChangesNothing(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                for (int rows : new int[] {2, 1200}) {
                    for (Updates updates : Updates.values()) {
                        TensorId w = Tensors.init(
                                worker,
                                TensorSpec.table("w" + rows + updates, rows, 7)
                                        .initializer(Initializers.constant(3))
                                        .optimizer(Optimizers.adaGrad(0.1f))
                                        .updates(updates));
                        for (int i = 0; i < 7; i++) {
                            Tensors.pushRows(worker, w, new long[0], new float[0])
                                    .await();
                        }
                        float[] none = {};
                        Tensors.pullRows(worker, w, new long[0], none).await();
                        Values.assertOnly(Tensors.pull(worker, w), 3);
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("io.psf.acceptance.Clusters#transports")
    void everyWorkerPullsWhatATensorWasInitializedWith(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                for (int i = 0; i < 200; i++) {
                    int rows = i % 2 == 0 ? 3 : 20_000;
                    TensorId w = Tensors.init(
                            worker, TensorSpec.dense("w" + i, rows, 5).initializer(Initializers.constant(i)));
                    float[] pulled = Tensors.pull(worker, w);
                    assertThat(pulled).hasSize(rows * 5);
                    Values.assertOnly(pulled, i);
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("io.psf.acceptance.Clusters#transports")
    void whatOneWorkerPushesTheOthersPull(Over over) {
        int n = 2000 * 1000;
        float[] a = new float[n];
        Random random = new Random(7);
        for (int i = 0; i < n; i++) {
            a[i] = random.nextFloat();
        }
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 2000, 1000));
                if (worker.rank() == 0) {
                    Tensors.push(worker, w, a).await();
                }
                worker.barrier();
                assertThat(Arrays.equals(Tensors.pull(worker, w), a)).as("A").isTrue();
                worker.barrier();
                float[] plusOne = a.clone();
                for (int i = 0; i < n; i++) {
                    plusOne[i] += 1;
                }
                if (worker.rank() == 0) {
                    float[] pulled = new float[n];
                    Tensors.pushPull(worker, w, filled(n, 1), pulled).await();
                    assertThat(Arrays.equals(pulled, plusOne))
                            .as("A + 1, as answered")
                            .isTrue();
                }
                worker.barrier();
                assertThat(Arrays.equals(Tensors.pull(worker, w), plusOne))
                        .as("A + 1")
                        .isTrue();
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void sparsePushesCountEveryOccurrenceOfAKey(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, TrainingTest::sparseCounts);
        }
    }

    /** Hetu's sparse test: 30 x 40 random ids with duplicates, pushed three ways by each worker on its own table. */
    static void sparseCounts(Worker worker) {
        int rows = 100;
        int width = 40;
        long[] keys = new Random(31 + worker.rank()).longs(30 * 40, 0, rows).toArray();
        float[] counts = new float[rows];
        for (long key : keys) {
            counts[(int) key]++;
        }
        TensorId w = Tensors.init(worker, TensorSpec.table("counts-of-" + worker.rank(), rows, width));
        float[] ones = filled(keys.length * width, 1);

        Tensors.pushRows(worker, w, keys, ones).await();
        assertCounts(Tensors.pull(worker, w), counts, width, 1);

        float[] dense = new float[rows * width];
        Tensors.pushRowsPull(worker, w, keys, ones, dense).await();
        assertCounts(dense, counts, width, 2);

        float[] sparse = new float[keys.length * width];
        Tensors.pushPullRows(worker, w, keys, ones, keys, sparse).await();
        for (int i = 0; i < keys.length; i++) {
            assertThat(sparse[i * width]).isEqualTo(3 * counts[(int) keys[i]]);
            assertThat(sparse[i * width + width - 1]).isEqualTo(3 * counts[(int) keys[i]]);
        }
        assertCounts(Tensors.pull(worker, w), counts, width, 3);
    }

    private static void assertCounts(float[] values, float[] counts, int width, int times) {
        float[] expected = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            expected[i] = times * counts[i / width];
        }
        assertThat(values).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void initialValuesAreTheSameForEveryWorkerAndAnyNumberOfServers(Over over) {
        List<Initializer> initializers = List.of(
                Initializers.constant(1234.567f),
                Initializers.uniform(-0.5f, 0.4f, 1),
                Initializers.normal(5.6f, 2f, 2),
                Initializers.truncatedNormal(-2.3f, 1.4f, 3));
        List<List<float[]>> all = new ArrayList<>();
        for (int servers = 1; servers <= 3; servers++) {
            try (PsCluster cluster = Clusters.start(over, servers, 2)) {
                onEachWorker(cluster, worker -> {
                    List<float[]> values = new ArrayList<>();
                    for (Initializer initializer : initializers) {
                        TensorId w = Tensors.init(
                                worker,
                                TensorSpec.dense("w" + values.size(), 1003, 30).initializer(initializer));
                        values.add(Tensors.pull(worker, w));
                    }
                    synchronized (all) {
                        all.add(values);
                    }
                });
            }
        }
        assertThat(all).hasSize(6);
        for (List<float[]> values : all) {
            for (int i = 0; i < initializers.size(); i++) {
                assertThat(Arrays.equals(values.get(i), all.get(0).get(i)))
                        .as("initializer %d", i)
                        .isTrue();
            }
        }
        assertThat(all.get(0).get(0)).containsOnly(1234.567f);
        assertMean(all.get(0).get(1), -0.05, 0.9 / Math.sqrt(12), -0.5, 0.4);
        assertMean(all.get(0).get(2), 5.6, 2, -100, 100);
        assertMean(all.get(0).get(3), -2.3, 1.4, -2.3 - 2.8, -2.3 + 2.8);
    }

    private static void assertMean(float[] values, double mean, double stddev, double least, double greatest) {
        double sum = 0;
        for (float value : values) {
            assertThat((double) value).isBetween(least - 1e-6, greatest + 1e-6);
            sum += value;
        }
        assertThat(sum / values.length)
                .isBetween(mean - 5 * stddev / Math.sqrt(values.length), mean + 5 * stddev / Math.sqrt(values.length));
    }

    /** Ray's synchronous example: SGD steps once on the sum of the workers' gradients. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void synchronousSgdStepsOnceOnTheSumOfGradients(Over over) {
        float[][] gradients = {{1, 2, 3, 4, 5}, {10, -20, 30, -40, 50}};
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(
                        worker,
                        TensorSpec.dense("w", 5)
                                .initializer(Initializers.constant(2))
                                .optimizer(Optimizers.sgd(0.01f))
                                .updates(Updates.SUM));
                Tensors.push(worker, w, gradients[worker.rank()]).await();
                float[] pulled = Tensors.pull(worker, w);
                for (int i = 0; i < 5; i++) {
                    assertThat(pulled[i]).isEqualTo(2 - 0.01f * (gradients[0][i] + gradients[1][i]));
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void asynchronousPushesAreEachAppliedWhenTheyArrive(Over over) {
        int times = 50;
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1001).initializer(Initializers.constant(1)));
                List<Pending<?>> pushes = new ArrayList<>();
                float before = 0;
                for (int i = 0; i < times; i++) {
                    pushes.add(Tensors.push(worker, w, filled(1001, 1)));
                    float now = Tensors.pull(worker, w)[1000];
                    assertThat(now).isGreaterThanOrEqualTo(before + 1);
                    before = now;
                }
                pushes.forEach(Pending::await);
                worker.barrier();
                assertThat(Tensors.pull(worker, w)).containsOnly(1 + 2 * times);
            });
        }
    }

    /** A round closes when every worker has pushed once; who has not pushed pulls at once. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void oneWorkerPushingTwiceDoesNotCloseARound(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorSpec spec =
                    TensorSpec.dense("w", 10).optimizer(Optimizers.assign()).updates(Updates.SUM);
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            TensorId w = Tensors.init(one, spec);
            Tensors.init(two, spec);
            Pending<?> first = Tensors.push(one, w, filled(10, 1));
            Pending<?> second = Tensors.push(one, w, filled(10, 10));
            assertThat(Tensors.pull(two, w)).as("pulled by who has not pushed").containsOnly(0f);
            assertThat(first.isDone() || second.isDone()).isFalse();
            Tensors.push(two, w, filled(10, 100)).await();
            first.await();
            assertThat(Tensors.pull(two, w)).as("the sum replaces the value").containsOnly(101f);
            assertThat(second.isDone()).isFalse();
            Tensors.push(two, w, filled(10, 1000)).await();
            second.await();
            assertThat(Tensors.pull(one, w)).containsOnly(1010f);
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aCallThatIsGivenUpBeforeItsTurnIsNotRun(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorSpec spec = TensorSpec.dense("w", 10).updates(Updates.SUM);
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            TensorId w = Tensors.init(one, spec);
            Tensors.init(two, spec);
            TensorId other = Tensors.init(one, TensorSpec.dense("other", 10));
            Pending<?> first = Tensors.push(one, w, filled(10, 1));
            Pending<?> second = Tensors.push(one, w, filled(10, 10));
            assertThat(second.cancel()).isTrue();
            assertThat(second.cancel()).isFalse();
            assertThatThrownBy(second::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CANCELLED));
            Tensors.pull(one, other); // the servers know it
            Pending<?> third = Tensors.push(one, w, filled(10, 100));
            Tensors.push(two, w, filled(10, 1000)).await();
            first.await();
            Tensors.push(two, w, filled(10, 1000)).await();
            third.await();
            assertThat(Tensors.pull(one, w)).containsOnly(2101f);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void requestsThatTouchTheLastSliceAloneArrive(int servers) {
        try (PsCluster cluster = Clusters.start(Over.TCP, servers, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.table("w", 301, 4));
            Tensors.pushRows(worker, w, new long[] {300, 300}, filled(8, 1)).await();
            float[] pulled = new float[12];
            Tensors.pullRows(worker, w, new long[] {300, 299, 300}, pulled).await();
            assertThat(pulled).containsExactly(2, 2, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2);
        }
    }
}
