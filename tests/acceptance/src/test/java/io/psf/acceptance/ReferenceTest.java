package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the reference systems' own tests show, with their sizes; docs/acceptance.md lists them by their ids. */
class ReferenceTest {
    private static float[] filled(int n, float value) {
        float[] values = new float[n];
        Arrays.fill(values, value);
        return values;
    }

    private static float[] random(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void pl2_fiftyPushesWithTenUnderWayThenFiftyPushPulls(Over over) {
        int n = 10_000;
        float[] v = new float[n];
        for (int i = 0; i < n; i++) {
            v[i] = i % 1000;
        }
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.table("w", n, 1));
                long[] keys = LongStream.range(0, n).toArray();
                Deque<Pending<?>> sent = new ArrayDeque<>();
                for (int i = 0; i < 50; i++) {
                    if (sent.size() == 10) {
                        sent.remove().await();
                    }
                    sent.add(Tensors.pushRows(worker, w, keys, v));
                }
                sent.forEach(Pending::await);
                worker.barrier();
                float[] pulled = new float[n];
                Tensors.pullRows(worker, w, keys, pulled).await();
                assertTimes(pulled, v, 2 * 50);
                worker.barrier();
                for (int i = 1; i <= 50; i++) {
                    Tensors.pushPullRows(worker, w, keys, v, keys, pulled).await();
                    assertThat(pulled[999]).isBetween((100f + i) * v[999], (150f + i) * v[999]);
                }
                worker.barrier();
                Tensors.pullRows(worker, w, keys, pulled).await();
                assertTimes(pulled, v, 2 * 100);
            });
        }
    }

    /** A worker sends the requests: psf's scheduler answers and does not call. */
    @ParameterizedTest
    @EnumSource
    void pl4_everyServerAndTheSchedulerHandleEachOfAHundredRequestsOnce(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            Worker worker = cluster.worker();
            List<Pending<?>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(CountRequestsPsf.stub(worker).call());
                sent.add(NumberPsf.stub(worker).call());
            }
            sent.forEach(Pending::await);
            CountRequests.Response servers =
                    CountRequestsPsf.stub(worker).call().await();
            assertThat(servers).isEqualTo(new CountRequests.Response(101, 101));
            assertThat(NumberPsf.stub(worker).call().await().number()).isEqualTo(101);
        }
    }

    private static void assertTimes(float[] values, float[] v, int times) {
        for (int i = 0; i < v.length; i++) {
            assertThat(values[i]).as("key %s", i).isEqualTo(times * v[i]);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MEMORY", "TCP", "SHARED_MEMORY"})
    void ht1_allWorkersSeeAPushOfTheFirst(Over over) {
        int n = 2000 * 1000;
        float[] a = random(new Random(1), n);
        float[] after = new float[n];
        for (int i = 0; i < n; i++) {
            after[i] = a[i] + 1;
        }
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 2000, 1000));
                if (worker.rank() == 0) {
                    Tensors.push(worker, w, a).await();
                }
                worker.barrier();
                assertThat(Arrays.equals(Tensors.pull(worker, w), a)).isTrue();
                worker.barrier();
                if (worker.rank() == 0) {
                    float[] into = new float[n];
                    Tensors.pushPull(worker, w, filled(n, 1), into).await();
                    assertThat(Arrays.equals(into, after)).isTrue();
                }
                worker.barrier();
                assertThat(Arrays.equals(Tensors.pull(worker, w), after)).isTrue();
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void ht2_rowsWithDuplicatesAreCounted(Over over) {
        int rows = 200;
        int width = 8;
        long[][] ids = {
            new Random(2).longs(30 * 40, 0, rows).toArray(),
            new Random(3).longs(10 * 40, 0, rows).toArray()
        };
        float[][] counts = {counts(ids[0], rows * width, width), counts(ids[1], rows * width, width)};
        long[] every = LongStream.range(0, rows).toArray();
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.table("w", rows, width));
                long[] mine = ids[worker.rank()];
                float[] ones = filled(mine.length * width, 1);
                Tensors.pushRows(worker, w, mine, ones).await();
                worker.barrier();
                float[] expected = sum(counts[0], counts[1]);
                assertTimes(Tensors.pull(worker, w), expected, 1);
                worker.barrier();
                float[] all = new float[rows * width];
                for (int turn = 0; turn < 4; turn++) {
                    expected = sum(expected, counts[turn % 2]);
                    if (turn % 2 == worker.rank()) {
                        Pending<?> answer = turn < 2
                                ? Tensors.pushRowsPull(worker, w, mine, ones, all)
                                : Tensors.pushPullRows(worker, w, mine, ones, every, all);
                        answer.await();
                        assertTimes(all, expected, 1);
                    }
                    worker.barrier();
                }
                assertTimes(Tensors.pull(worker, w), sum(counts[0], counts[1]), 3);
            });
        }
    }

    /** Returns how often each row is in {@code ids}, in each of its elements. */
    private static float[] counts(long[] ids, int n, int width) {
        float[] counts = new float[n];
        for (long id : ids) {
            for (int c = 0; c < width; c++) {
                counts[(int) id * width + c]++;
            }
        }
        return counts;
    }

    private static float[] sum(float[] a, float[] b) {
        float[] sum = new float[a.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }

    @Test
    void ht3_initialValuesAreThoseOfTheDistributionOnEveryWorkerAndAnyNumberOfServers() {
        Map<String, float[]> seen = new ConcurrentHashMap<>();
        for (int servers = 1; servers <= 3; servers++) {
            try (PsCluster cluster = Clusters.start(Over.TCP, servers, 2)) {
                onEachWorker(cluster, worker -> {
                    shows(seen, worker, "constant", Initializers.constant(1234.567));
                    shows(seen, worker, "uniform", Initializers.uniform(-0.5, 0.4, 3));
                    shows(seen, worker, "normal", Initializers.normal(5.6, 2, 4));
                    shows(seen, worker, "truncated", Initializers.truncatedNormal(-2.3, 1.4, 5));
                });
            }
        }
        assertThat(seen.get("constant")).containsOnly(1234.567f);
        assertMean(seen, "uniform", -0.05, 0.9 / Math.sqrt(12), -0.5, 0.4);
        assertMean(seen, "normal", 5.6, 2, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        assertMean(seen, "truncated", -2.3, 0.88 * 1.4, -2.3 - 2.8, -2.3 + 2.8);
    }

    private static void shows(Map<String, float[]> seen, Worker worker, String name, Initializer initializer) {
        TensorId w = Tensors.init(worker, TensorSpec.dense(name, 2000, 50).initializer(initializer));
        float[] values = Tensors.pull(worker, w);
        float[] first = seen.putIfAbsent(name, values);
        assertThat(first == null || Arrays.equals(first, values)).as(name).isTrue();
    }

    private static void assertMean(
            Map<String, float[]> seen, String name, double mean, double deviation, double least, double most) {
        float[] values = seen.getOrDefault(name, new float[0]);
        double sum = 0;
        for (float value : values) {
            sum += value;
            assertThat((double) value).isBetween(least, most);
        }
        assertThat(sum / values.length).isCloseTo(mean, within(5 * deviation / Math.sqrt(values.length)));
    }

    @Test
    void ht8_theSmallestProgram() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", 128).initializer(Initializers.constant(5)));
            float[] values = new float[128];
            Tensors.pull(cluster.worker(), w, values).await();
            assertThat(values).containsOnly(5);
        }
    }

    /** The gradient of the mean squared error of a linear model, over a batch of rows x[d] and labels y. */
    private static float[] gradient(float[] w, List<float[]> x, float[] y, int begin, int end) {
        double[] sum = new double[w.length];
        for (int i = begin; i < end; i++) {
            double error = -y[i];
            for (int d = 0; d < w.length; d++) {
                error += w[d] * x.get(i)[d];
            }
            for (int d = 0; d < w.length; d++) {
                sum[d] += 2 * error * x.get(i)[d] / (end - begin);
            }
        }
        float[] gradient = new float[w.length];
        for (int d = 0; d < w.length; d++) {
            gradient[d] = (float) sum[d];
        }
        return gradient;
    }

    private static float[] train(int workers, List<float[]> x, float[] y) {
        int width = x.get(0).length;
        Map<Integer, float[]> trained = new ConcurrentHashMap<>();
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, workers)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(
                        worker,
                        TensorSpec.dense("w", width).updates(Updates.MEAN).optimizer(Optimizers.adam(0.05)));
                int share = x.size() / workers;
                float[] now = Tensors.pull(worker, w);
                for (int step = 0; step < 50; step++) {
                    float[] g = gradient(now, x, y, worker.rank() * share, (worker.rank() + 1) * share);
                    Tensors.pushPull(worker, w, g, now).await();
                }
                trained.put(worker.rank(), now);
            });
        }
        assertThat(trained.values()).allSatisfy(each -> assertThat(each).isEqualTo(trained.get(0)));
        return trained.getOrDefault(0, new float[0]);
    }

    @Test
    void ms4_theMeanOfTwoWorkersIsOneWorkerOnTheJoinedBatch() {
        Random random = new Random(6);
        List<float[]> x =
                IntStream.range(0, 64).mapToObj(i -> random(random, 20)).toList();
        float[] y = random(random, 64);
        float[] one = train(1, x, y);
        float[] two = train(2, x, y);
        for (int i = 0; i < one.length; i++) {
            assertThat(two[i]).isCloseTo(one[i], within(1e-5f * Math.max(1, Math.abs(one[i]))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void ry1_aRoundStepsOnceWithTheSumOfTheGradients(Over over) {
        int n = 1960;
        float[] g1 = random(new Random(1), n);
        float[] g2 = random(new Random(2), n);
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(
                        worker,
                        TensorSpec.dense("w", n)
                                .initializer(Initializers.constant(1))
                                .updates(Updates.SUM)
                                .optimizer(Optimizers.sgd(0.01)));
                float[] into = new float[n];
                Tensors.pushPull(worker, w, worker.rank() == 0 ? g1 : g2, into).await();
                for (int i = 0; i < n; i++) {
                    assertThat(into[i]).as("element %s", i).isEqualTo(1 - 0.01f * (g1[i] + g2[i]));
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MEMORY", "TCP"})
    void mr1_wordsAreCountedByEachWorkerOnItsOwnPortion(Over over) {
        Random random = new Random(9);
        List<String> text =
                random.ints(20_000, 0, 1000).mapToObj(i -> "w" + i * i % 997).toList();
        Map<String, Integer> expected = new HashMap<>();
        text.forEach(word -> expected.merge(word, 1, Integer::sum));
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            onEachWorker(cluster, worker -> {
                TensorId counts = Tensors.init(worker, TensorSpec.growing("counts", 1));
                int share = (text.size() + worker.workers() - 1) / worker.workers();
                List<String> own =
                        text.subList(worker.rank() * share, Math.min(text.size(), (worker.rank() + 1) * share));
                Tensors.pushRows(
                                worker,
                                counts,
                                own.stream().mapToLong(ReferenceTest::key).toArray(),
                                filled(own.size(), 1))
                        .await();
                worker.barrier();
                List<String> words = List.copyOf(expected.keySet());
                float[] pulled = new float[words.size()];
                Tensors.pullRows(
                                worker,
                                counts,
                                words.stream().mapToLong(ReferenceTest::key).toArray(),
                                pulled)
                        .await();
                for (int i = 0; i < pulled.length; i++) {
                    assertThat((int) pulled[i]).as(words.get(i)).isEqualTo(expected.get(words.get(i)));
                }
            });
        }
    }

    private static long key(String word) {
        long key = 0;
        for (int i = 0; i < word.length(); i++) {
            key = 131 * key + word.charAt(i);
        }
        return key;
    }
}
