package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.cache.SyncEmbedding;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables whose rows are made when their keys first come. */
@Timeout(60)
final class GrowingTableTest {
    private static final int WIDTH = 4;

    private static float[] pull(Worker worker, TensorId table, long... keys) {
        float[] into = new float[keys.length * WIDTH];
        Tensors.pullRows(worker, table, keys, into).await();
        return into;
    }

    /** Keys of a small set often, any others now and then, duplicates among them. */
    private static long[] keys(Random random, int n) {
        return LongStream.generate(() -> random.nextInt(4) > 0 ? random.nextInt(500) - 250 : random.nextLong())
                .limit(n)
                .toArray();
    }

    private static float[] ones(int n) {
        float[] ones = new float[n * WIDTH];
        Arrays.fill(ones, 1);
        return ones;
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void everyPushOfAnyKeyCounts(Over over) {
        Map<Long, Integer> expected = new ConcurrentHashMap<>();
        try (PsCluster cluster = Clusters.start(over, 3, 3)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId table = Tensors.init(worker, TensorSpec.growing("table", WIDTH));
                Random random = new Random(worker.rank());
                for (int step = 0; step < 100; step++) {
                    long[] pushed = keys(random, random.nextInt(200));
                    for (long key : pushed) {
                        expected.merge(key, 1, Integer::sum);
                    }
                    Tensors.pushRows(worker, table, pushed, ones(pushed.length)).await();
                    pull(worker, table, keys(random, random.nextInt(200)));
                }
                worker.barrier();
                long[] all = expected.keySet().stream().mapToLong(key -> key).toArray();
                float[] values = pull(worker, table, all);
                for (int i = 0; i < all.length; i++) {
                    for (int c = 0; c < WIDTH; c++) {
                        assertThat(values[i * WIDTH + c]).as("key %d", all[i]).isEqualTo((float)
                                expected.getOrDefault(all[i], 0));
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void firstValuesAreTheSameOnAnyNumberOfServersAndInAFixedTable(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            Worker worker = cluster.worker();
            TensorId growing = Tensors.init(
                    worker, TensorSpec.growing("growing", WIDTH).initializer(Initializers.normal(0, 1, 5)));
            TensorId fixed = Tensors.init(
                    worker, TensorSpec.table("fixed", 1000, WIDTH).initializer(Initializers.normal(0, 1, 5)));
            long[] keys = new Random(1).longs(300, 0, 1000).toArray();
            assertThat(pull(worker, growing, keys)).isEqualTo(pull(worker, fixed, keys));
            float[] apart = pull(worker, growing, 5, 5 + (1L << 62), 5 + (1L << 63), -5);
            for (int other = 1; other < 4; other++) {
                assertThat(Arrays.copyOfRange(apart, other * WIDTH, other * WIDTH + WIDTH))
                        .isNotEqualTo(Arrays.copyOf(apart, WIDTH));
            }
            assertThat(pull(worker, growing, Long.MIN_VALUE, -1, Long.MAX_VALUE))
                    .doesNotContain(0f)
                    .isEqualTo(pull(worker, growing, Long.MIN_VALUE, -1, Long.MAX_VALUE));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SGD", "ADAM"})
    void optimizersStepItAsTheyStepAFixedTable(String rule) {
        var optimizer = rule.equals("SGD") ? Optimizers.sgd(0.1f) : Optimizers.adam(0.1f);
        try (PsCluster cluster = PsCluster.embedded(3)) {
            Worker worker = cluster.worker();
            TensorId growing =
                    Tensors.init(worker, TensorSpec.growing("growing", WIDTH).optimizer(optimizer));
            TensorId fixed =
                    Tensors.init(worker, TensorSpec.table("fixed", 900, WIDTH).optimizer(optimizer));
            Random random = new Random(2);
            for (int step = 0; step < 50; step++) {
                long[] pushed = random.longs(100, 0, 900).toArray();
                float[] update = FloatArray.allocate(100 * WIDTH).toArray();
                for (int i = 0; i < update.length; i++) {
                    update[i] = random.nextFloat() - 0.5f;
                }
                long[] pulled = random.longs(100, 0, 900).toArray();
                float[] a = new float[100 * WIDTH];
                float[] b = new float[100 * WIDTH];
                Tensors.pushPullRows(worker, growing, pushed, update, pulled, a).await();
                Tensors.pushPullRows(worker, fixed, pushed, update, pulled, b).await();
                assertThat(a).isEqualTo(b);
            }
        }
    }

    @Test
    void pushesOfAllWorkersCombine() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId table =
                        Tensors.init(worker, TensorSpec.growing("table", WIDTH).updates(Updates.MEAN));
                long[] keys = {7, -7 - worker.rank()};
                Tensors.pushRows(worker, table, keys, ones(2)).await();
                worker.barrier();
                assertThat(pull(worker, table, 7, -7, -8))
                        .isEqualTo(new float[] {1, 1, 1, 1, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f});
            });
        }
    }

    @Test
    void whatAsksForTheWholeIsRefusedWithAReason() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("table", WIDTH));
            String message = "all rows of tensor \"table\", which grows (expected: a function with @ByKey)";
            assertThatThrownBy(() -> Tensors.pull(worker, table))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> Tensors.push(worker, table, ones(9)).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> Tensors.pushRowsPull(worker, table, new long[] {1}, ones(1), ones(1))
                            .await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> Tensors.init(worker, TensorSpec.table("table", 10, WIDTH)))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("[growing, 4]");
            assertThat(pull(worker, table, 3)).containsOnly(0f);
        }
    }

    /** Rows have other numbers after the load. */
    @Test
    void aLoadWhileARoundIsOpenDoesNotConfuseItsAnswers(@TempDir Path directory) {
        try (PsCluster cluster =
                PsCluster.builder().servers(1).workers(2).checkpoints(directory).start()) {
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            TensorId table =
                    Tensors.init(one, TensorSpec.growing("table", WIDTH).updates(Updates.SUM));
            Tensors.save(two, table, "empty");
            float[] into = new float[2 * WIDTH];
            Pending<?> pushed = Tensors.pushPullRows(one, table, new long[] {3}, ones(1), new long[] {3, 4}, into);
            Tensors.load(two, table, "empty");
            pull(two, table, 4);
            Tensors.pushRows(two, table, new long[] {3}, ones(1)).await();
            pushed.await();
            assertThat(into).isEqualTo(new float[] {2, 2, 2, 2, 0, 0, 0, 0});
        }
    }

    @Test
    void theCacheFunctionsVersionItsRows() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("table", WIDTH));
            long[] keys = LongStream.range(0, 300).map(i -> i * i * 1_000_003).toArray();
            for (int n = 1; n <= 300; n += 13) {
                long[] some = Arrays.copyOf(keys, n);
                int[] counts = new int[n];
                Arrays.fill(counts, 2);
                PushEmbeddingPsf.stub(worker)
                        .call(table, LongArray.wrap(some), FloatArray.wrap(ones(n)), IntArray.wrap(counts))
                        .await();
            }
            long[] cached = new long[300];
            Arrays.fill(cached, 4);
            SyncEmbedding.Response stale = SyncEmbeddingPsf.stub(worker)
                    .call(table, LongArray.wrap(keys), LongArray.wrap(cached), 0)
                    .await();
            assertThat(stale.keys().length())
                    .isEqualTo(300 - 13); // those of one push but the last, and of none, are no more
            for (int i = 0; i < stale.keys().length(); i++) {
                assertThat(stale.values().get(i * WIDTH) * 2)
                        .isEqualTo((float) stale.versions().get(i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void itIsLoadedOnAnyNumberOfServersAndGoesOnAsBefore(int servers, @TempDir Path directory) {
        TensorSpec spec = TensorSpec.growing("table", WIDTH)
                .initializer(Initializers.uniform(-1, 1, 3))
                .optimizer(Optimizers.adam(0.01f));
        long[] keys = keys(new Random(4), 3000);
        float[] before;
        float[] after;
        try (PsCluster cluster =
                PsCluster.builder().servers(3).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, spec);
            TensorId empty = Tensors.init(worker, TensorSpec.growing("empty", WIDTH));
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            Tensors.save(worker, table, "model");
            Tensors.save(worker, empty, "model");
            before = pull(worker, table, keys);
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            after = pull(worker, table, keys);
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(servers).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, spec);
            TensorId empty = Tensors.init(worker, TensorSpec.growing("empty", WIDTH));
            long[] others = {1L << 60, 1L << 61};
            float[] first = pull(worker, table, others);
            Tensors.pushRows(worker, table, others, ones(2)).await();
            Tensors.pushRows(worker, empty, others, ones(2)).await();
            Tensors.load(worker, table, "model");
            Tensors.load(worker, empty, "model");
            assertThat(pull(worker, table, keys)).isEqualTo(before);
            assertThat(pull(worker, table, others)).isEqualTo(first); // forgotten, and made anew
            assertThat(pull(worker, empty, others)).containsOnly(0f);
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            assertThat(pull(worker, table, keys)).isEqualTo(after);
        }
    }

    private static long[] listed(Worker worker, TensorId table) {
        LongStream keys = LongStream.empty();
        for (long[] page : Tensors.keys(worker, table)) {
            keys = LongStream.concat(keys, LongStream.of(page));
        }
        return keys.sorted().toArray();
    }

    private static byte[] present(Worker worker, TensorId table, long... keys) {
        byte[] present = new byte[keys.length];
        Tensors.findRows(worker, table, keys, present).await();
        return present;
    }

    private static long removed(Worker worker, TensorId table, long... keys) {
        return Tensors.removeRows(worker, table, keys).await().removed();
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void rowsAreFoundListedAndRemovedByKeyAndPullsMakeNone(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(
                    worker, TensorSpec.growing("table", WIDTH).initializer(Initializers.uniform(-1, 1, 3)));
            long[] keys = new Random(7).longs(20_000).toArray();
            float[] first = pull(worker, table, keys);
            assertThat(first).doesNotContain(0f);
            assertThat(present(worker, table, keys)).containsOnly(0);
            assertThat(listed(worker, table)).isEmpty();
            Tensors.pushRows(worker, table, keys, new float[keys.length * WIDTH])
                    .await();
            assertThat(pull(worker, table, keys)).as("what the pull has said").isEqualTo(first);
            assertThat(listed(worker, table))
                    .isEqualTo(LongStream.of(keys).sorted().toArray());
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            long[] half = Arrays.copyOf(keys, 10_000);
            assertThat(removed(worker, table, half)).isEqualTo(10_000);
            assertThat(removed(worker, table, half)).isZero();
            long[] others = Arrays.copyOfRange(keys, 10_000, 20_000);
            assertThat(listed(worker, table))
                    .isEqualTo(LongStream.of(others).sorted().toArray());
            assertThat(present(worker, table, others)).containsOnly(1);
            assertThat(pull(worker, table, half)).isEqualTo(Arrays.copyOf(first, half.length * WIDTH));
            float[] now = pull(worker, table, others);
            for (int i = 0; i < now.length; i++) {
                assertThat(now[i]).isEqualTo(first[half.length * WIDTH + i] + 1);
            }
            TensorId fixed = Tensors.init(worker, TensorSpec.table("fixed", 9, WIDTH));
            assertThat(listed(worker, fixed)).isEqualTo(LongStream.range(0, 9).toArray());
            assertThatThrownBy(() -> removed(worker, fixed, 4))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("BAD_REQUEST: tensor fixed: [9, 4] (expected: a table that grows)");
        }
    }

    @Test
    void aReadOnlyFunctionThatAsksForARowThatIsNotThereIsToldWhatToAsk() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("table", WIDTH));
            TensorId other = Tensors.init(worker, TensorSpec.growing("other", WIDTH));
            Tensors.pushRows(worker, table, new long[] {5}, ones(1)).await();
            RowNumbersPsf.Stub rows = RowNumbersPsf.stub(worker);
            assertThat(rows.call(table, table, LongArray.of(5)).await().rows().get(0))
                    .isZero();
            for (TensorId asked : new TensorId[] {table, other}) {
                assertThatThrownBy(
                                () -> rows.call(table, asked, LongArray.of(6)).await())
                        .isInstanceOf(PsException.class)
                        .hasMessageContaining("OUT_OF_RANGE: key: 6 (expected: a key that has a row: the function is"
                                + " readOnly, and creates no rows; Shard.find tells which keys have one)")
                        .hasMessageContaining("test.row.numbers");
                assertThat(present(worker, asked, 6)).containsExactly(0);
            }
            Tensors.pushRows(worker, other, new long[] {6}, ones(1)).await();
            assertThat(rows.call(table, other, LongArray.of(6)).await().rows().get(0))
                    .isZero();
        }
    }

    @Test
    void aRoundMakesARowAgainThatWasRemovedWhileItWasOpen() {
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(2).start()) {
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            TensorId table =
                    Tensors.init(one, TensorSpec.growing("table", WIDTH).updates(Updates.SUM));
            long[] keys = {1, 2, 3};
            Pending<?> pushed = Tensors.pushRows(one, table, keys, ones(3));
            Tensors.pushRows(two, table, keys, ones(3)).await();
            pushed.await();
            float[] into = new float[2 * WIDTH];
            pushed = Tensors.pushPullRows(one, table, new long[] {2}, ones(1), new long[] {2, 1}, into);
            assertThat(removed(two, table, 1, 2, 3)).isEqualTo(3);
            Tensors.pushRows(two, table, new long[] {2}, ones(1)).await();
            pushed.await();
            assertThat(into).isEqualTo(new float[] {2, 2, 2, 2, 0, 0, 0, 0});
            assertThat(listed(one, table)).containsExactly(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void whatIsLeftAfterARemovalIsSavedAndLoaded(int servers, @TempDir Path directory) {
        TensorSpec spec = TensorSpec.growing("table", WIDTH).optimizer(Optimizers.adam(0.01f));
        long[] keys = new Random(4).longs(3000).toArray();
        long[] some = Arrays.copyOf(keys, 1000);
        float[] after;
        try (PsCluster cluster =
                PsCluster.builder().servers(3).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, spec);
            for (int step = 0; step < 3; step++) {
                Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            }
            removed(worker, table, some);
            Tensors.pushRows(worker, table, Arrays.copyOf(keys, 10), ones(10)).await();
            Tensors.save(worker, table, "model");
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            after = pull(worker, table, keys);
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(servers).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, spec);
            Tensors.load(worker, table, "model");
            assertThat(listed(worker, table)).hasSize(2010);
            Tensors.pushRows(worker, table, keys, ones(keys.length)).await();
            assertThat(pull(worker, table, keys)).isEqualTo(after);
        }
    }
}
