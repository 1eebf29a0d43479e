package io.psf.builtin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.builtin.Laws;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.CacheModel.Cache;
import io.psf.builtin.cache.CacheModel.Push;
import io.psf.builtin.internal.checkpoint.SavingFunctions;
import io.psf.builtin.sparse.RemoveRows;
import io.psf.builtin.sparse.RemoveRowsPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CacheFunctionsTest {
    private static final TensorId T = TensorId.of("table");
    private static final int ROWS = 30;
    private static final int WIDTH = 2;

    private static PsfTest<SyncEmbedding.Request, SyncEmbedding.Response> cached() {
        return PsfTest.of(SyncEmbeddingPsf.bind(new SyncEmbedding() {}))
                .and(PushEmbeddingPsf.bind(new PushEmbedding() {}))
                .and(PushSyncEmbeddingPsf.bind(new PushSyncEmbedding() {}))
                .tensor(T, ROWS, WIDTH)
                .values(i -> 0);
    }

    private static SyncEmbedding.Response sync(TestCluster cluster, LongArray keys, LongArray versions, long bound) {
        return SyncEmbeddingPsf.stub(cluster).call(T, keys, versions, bound).await();
    }

    private static void push(TestCluster cluster, Push push) {
        PushEmbeddingPsf.stub(cluster)
                .call(T, push.keys(), push.gradients(), push.updates())
                .await();
    }

    /** The optimizer need not have stepped the row in the same turn. */
    @Test
    void theShardIsToldWhoseVersionsChange() {
        TestShard shard = cached().on(1).shard(T, 0);
        RowWrites writes = Objects.requireNonNull(shard.writes());
        writes.begin();
        Versions.of(shard).add(LongArray.of(7, 3), IntArray.of(1, 2));
        assertThat(Objects.requireNonNull(writes.take()).rows().stream()).containsExactly(3, 7);
    }

    @Test
    void answerTheSameOnAnySlices() {
        for (int seed = 0; seed < Laws.cases(3); seed++) {
            Random random = new Random(seed);
            List<Push> pushes = new ArrayList<>();
            List<LongArray> asked = new ArrayList<>();
            List<LongArray> versions = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                pushes.add(CacheModel.randomPush(random, ROWS, WIDTH));
                int n = random.nextInt(20);
                asked.add(LongArray.wrap(random.longs(n, 0, ROWS).toArray()));
                versions.add(LongArray.wrap(random.longs(n, -1, 6).toArray()));
            }
            var unused = cached().optimizer(Optimizers.adam(0.1).create()).sameOnAnySlices(cluster -> {
                List<Object> answers = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    Push each = pushes.get(i);
                    push(cluster, each);
                    answers.add(sync(cluster, asked.get(i), versions.get(i), 2));
                    answers.add(PushSyncEmbeddingPsf.stub(cluster)
                            .call(T, each.keys(), each.gradients(), each.updates(), asked.get(i), versions.get(i), 0)
                            .await());
                }
                return answers;
            });
        }
    }

    /** Three caches, each of which pushes, synchronizes, or does both at once, with a bound of its own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void randomOperationsAgreeWithAPlainModel(int slices) {
        for (int seed = 0; seed < Laws.cases(5); seed++) {
            Random random = new Random(seed);
            CacheModel model = new CacheModel(ROWS, WIDTH);
            TestCluster cluster = cached().on(slices);
            List<Cache> caches = List.of(new Cache(), new Cache(), new Cache());
            for (int step = 0; step < 60; step++) {
                int bound = random.nextInt(3) * 2;
                Cache cache = caches.get(random.nextInt(3));
                LongArray asked =
                        LongArray.wrap(random.longs(random.nextInt(20), 0, ROWS).toArray());
                LongArray versions = cache.versionsOf(asked);
                Push push = CacheModel.randomPush(random, ROWS, WIDTH);
                String where = "seed " + seed + ", step " + step;
                switch (random.nextInt(3)) {
                    case 0 -> {
                        push(cluster, push);
                        model.apply(push);
                    }
                    case 1 -> {
                        SyncEmbedding.Response answer = sync(cluster, asked, versions, bound);
                        requireStale(where, model, answer.keys(), asked, versions, bound);
                        cache.take(answer.keys(), answer.versions(), answer.values());
                        requireWithinBound(where, model, cache, asked, bound);
                    }
                    default -> {
                        PushSyncEmbedding.Response answer = PushSyncEmbeddingPsf.stub(cluster)
                                .call(T, push.keys(), push.gradients(), push.updates(), asked, versions, bound)
                                .await();
                        model.apply(push);
                        requireStale(where, model, answer.keys(), asked, versions, bound);
                        cache.take(answer.keys(), answer.versions(), answer.values());
                        requireWithinBound(where, model, cache, asked, bound);
                    }
                }
            }
            float[] all = cluster.values(T);
            for (int i = 0; i < all.length; i++) {
                assertThat(all[i]).isEqualTo(model.values[i / WIDTH][i % WIDTH]);
            }
        }
    }

    /** The rows that come back are those that are too old, each once, in ascending order. */
    private static void requireStale(
            String where, CacheModel model, LongArray answered, LongArray asked, LongArray versions, long bound) {
        long[] expected = LongStream.range(0, asked.length())
                .filter(i -> versions.get((int) i) == -1
                        || model.versions[(int) asked.get((int) i)] - versions.get((int) i) > bound)
                .map(i -> asked.get((int) i))
                .sorted()
                .distinct()
                .toArray();
        assertThat(answered.toArray()).as(where).containsExactly(expected);
    }

    /** What is in the cache is what the table was, at most {@code bound} updates ago. */
    private static void requireWithinBound(String where, CacheModel model, Cache cache, LongArray asked, long bound) {
        for (int i = 0; i < asked.length(); i++) {
            long key = asked.get(i);
            long version = cache.versions.getOrDefault(key, -1L);
            assertThat(model.versions[(int) key] - version).as(where).isBetween(0L, bound);
            assertThat(cache.values.get(key)).as(where).containsExactly(model.at(key, version));
        }
    }

    @Test
    void aRowThatIsAskedForTwiceCountsWithItsLeastVersion() {
        TestCluster cluster = cached().on(2);
        push(cluster, new Push(LongArray.of(29), FloatArray.of(1, 1), IntArray.of(3)));
        LongArray twice = LongArray.of(29, 29);
        assertThat(sync(cluster, twice, LongArray.of(3, 2), 1).keys()).isEqualTo(LongArray.allocate(0));
        assertThat(sync(cluster, twice, LongArray.of(3, 1), 1).keys()).isEqualTo(LongArray.of(29));
        assertThat(sync(cluster, twice, LongArray.of(-1, 3), 1).versions()).isEqualTo(LongArray.of(3));
    }

    @Test
    void aRowThatIsPushedTwiceIsOneStepOfTheOptimizerAndCountsBoth() {
        TestCluster cluster =
                cached().optimizer(Optimizers.adaGrad(1, 0, 1e-7).create()).on(3);
        push(cluster, new Push(LongArray.of(7, 7), FloatArray.of(1, 1, 2, 2), IntArray.of(1, 4)));
        SyncEmbedding.Response answer = sync(cluster, LongArray.of(7), LongArray.of(-1), 0);
        assertThat(answer.versions()).isEqualTo(LongArray.of(5));
        assertThat(answer.values().get(0)).isBetween(-1.001f, -0.999f); // 3 / sqrt(9); two steps would give -1.9
    }

    @Test
    void aVersionFromBeforeTheTableWasMadeAnewIsStale() {
        SyncEmbedding.Response answer =
                cached().call(2, new SyncEmbedding.Request(T, LongArray.of(1, 20), LongArray.of(9, 0), 100));
        assertThat(answer.keys()).isEqualTo(LongArray.of(1));
        assertThat(answer.versions()).isEqualTo(LongArray.of(0));
    }

    private static PsfTest<SyncEmbedding.Request, SyncEmbedding.Response> growing() {
        return cached().growing(T, WIDTH).and(RemoveRowsPsf.bind(new RemoveRows() {}));
    }

    private static void count(TestCluster cluster, int times, long... keys) {
        for (int i = 0; i < times; i++) {
            int[] once = new int[keys.length];
            Arrays.fill(once, 1);
            push(
                    cluster,
                    new Push(LongArray.wrap(keys), FloatArray.allocate(keys.length * WIDTH), IntArray.wrap(once)));
        }
    }

    private static long remove(TestCluster cluster, long... keys) {
        return RemoveRowsPsf.stub(cluster).call(T, LongArray.wrap(keys)).await().removed();
    }

    @Test
    void synchronizingMakesNoRowOfAGrowingTable() {
        SyncEmbedding.Response answer = growing().sameOnAnySlices(cluster -> {
            count(cluster, 3, 5);
            SyncEmbedding.Response stale = sync(cluster, LongArray.of(7), LongArray.of(-1), 0);
            assertThat(sync(cluster, LongArray.of(7, 5), LongArray.of(0, 3), 0).keys())
                    .isEqualTo(LongArray.allocate(0));
            assertThat(cluster.keys(T)).containsExactly(5);
            return stale;
        });
        assertThat(answer.keys()).isEqualTo(LongArray.of(7));
        assertThat(answer.versions()).isEqualTo(LongArray.of(0));
        assertThat(answer.values()).isEqualTo(FloatArray.of(0, 0));
    }

    /** No cache has pushed, so the shard has no versions yet. */
    @Test
    void aRowThatWasRemovedAndMadeAgainByOthersIsStale() {
        PsfTest<SyncEmbedding.Request, SyncEmbedding.Response> test =
                growing().and(SparsePushPsf.bind(new SparsePush() {}));
        LongArray keys = LongArray.of(1, 2);
        FloatArray ones = FloatArray.of(1, 1, 1, 1);
        var unused = test.sameOnAnySlices(cluster -> {
            SparsePushPsf.stub(cluster).call(T, keys, ones).await();
            LongArray cached = versions(cluster, keys);
            assertThat(sync(cluster, keys, cached, 0).keys()).isEqualTo(LongArray.allocate(0));
            assertThat(remove(cluster, 2)).isEqualTo(1);
            SparsePushPsf.stub(cluster).call(T, keys, ones).await();
            assertThat(sync(cluster, keys, cached, 1_000_000).keys().toArray()).contains(2);
            LongArray now = versions(cluster, keys);
            count(cluster, 2, 1); // the shards have versions from now on
            assertThat(sync(cluster, keys, now, 0).keys()).isEqualTo(LongArray.of(1));
            assertThat(sync(cluster, keys, now, 2).keys()).isEqualTo(LongArray.allocate(0));
            assertThat(sync(cluster, keys, cached, 1_000_000).keys().toArray()).contains(2);
            return true;
        });
    }

    /** Returns the versions of rows, in the order of their keys. */
    private static LongArray versions(TestCluster cluster, LongArray keys) {
        long[] none = new long[keys.length()];
        Arrays.fill(none, -1);
        SyncEmbedding.Response all = sync(cluster, keys, LongArray.wrap(none), 0);
        List<Long> order = LongStream.of(all.keys().toArray()).boxed().toList();
        return LongArray.wrap(LongStream.of(keys.toArray())
                .map(key -> all.versions().get(order.indexOf(key)))
                .toArray());
    }

    /** A cache that still has the old row must not take the new one's version for it, however often that is pushed. */
    @Test
    void aRowThatWasRemovedAndMadeAgainIsStaleWhateverTheCacheHas() {
        var unused = growing().sameOnAnySlices(cluster -> {
            count(cluster, 3, 1, 2, 3, 4, 5, 6);
            count(cluster, 2, 6);
            assertThat(remove(cluster, 2, 3)).isEqualTo(2);
            LongArray asked = LongArray.of(1, 2, 3, 4, 5, 6);
            LongArray cached = LongArray.of(3, 3, 2, 3, 2, 5);
            for (int pushes = 0; pushes < 6; pushes++) {
                SyncEmbedding.Response stale = sync(cluster, asked, cached, 1_000_000);
                assertThat(stale.keys().toArray()).containsExactlyInAnyOrder(2, 3);
                count(cluster, 1, 2);
            }
            SyncEmbedding.Response now = sync(cluster, LongArray.of(2), LongArray.of(-1), 0);
            assertThat(sync(cluster, LongArray.of(2), now.versions(), 0).keys()).isEqualTo(LongArray.allocate(0));
            assertThat(remove(cluster, 2)).isEqualTo(1);
            assertThat(sync(cluster, LongArray.of(2), now.versions(), 1_000_000).keys())
                    .isEqualTo(LongArray.of(2));
            assertThat(sync(cluster, LongArray.of(1, 4, 5, 6), LongArray.of(3, 3, 3, 5), 0)
                            .keys())
                    .as("rows that were not removed keep their versions")
                    .isEqualTo(LongArray.allocate(0));
            return true;
        });
    }

    @Test
    void versionsOfRowsThatWereRemovedAreSavedAndLoaded(@TempDir Path directory) {
        PsfTest<?, ?> test = SavingFunctions.with(growing()).checkpoints(directory);
        long[] keys = LongStream.range(0, 40).toArray();
        TestCluster before = test.on(2);
        count(before, 3, keys);
        remove(before, Arrays.copyOf(keys, 10));
        count(before, 1, 0, 1, 2);
        Tensors.save(before, T, "model");
        remove(before, 20);
        LongArray all = LongArray.wrap(keys);
        long[] none = new long[40];
        Arrays.fill(none, -1);
        TestCluster after = test.on(3);
        Tensors.load(after, T, "model");
        remove(after, 20);
        long[] versions = byKey(sync(before, all, LongArray.wrap(none), 0));
        assertThat(byKey(sync(after, all, LongArray.wrap(none), 0))).startsWith(Arrays.copyOf(versions, 3));
        for (int key = 3; key < 10; key++) {
            assertThat(versions[key]).as("gone").isGreaterThan(1_000_000);
        }
        assertThat(Arrays.copyOfRange(versions, 10, 20)).containsOnly(3);
        long[] loaded = byKey(sync(after, all, LongArray.wrap(none), 0));
        assertThat(Arrays.copyOfRange(loaded, 10, 20)).containsOnly(3);
        assertThat(loaded[20]).as("removed since").isNotEqualTo(3);
    }

    private static long[] byKey(SyncEmbedding.Response response) {
        long[] versions = new long[40];
        for (int i = 0; i < versions.length; i++) {
            versions[(int) response.keys().get(i)] = response.versions().get(i);
        }
        return versions;
    }

    @Test
    void ofARoundValuesAndVersionsAreSeenAtOnce() {
        TestCluster cluster = TestCluster.of(2, 2);
        Tensors.init(cluster, TensorSpec.table("table", ROWS, 1).updates(Updates.SUM));
        LongArray key = LongArray.of(ROWS - 1);
        LongArray none = LongArray.of(-1);
        Pending<PushSyncEmbedding.Response> zero = PushSyncEmbeddingPsf.stub(cluster.worker(0))
                .call(T, key, FloatArray.of(10), IntArray.of(1), key, none, 0);
        assertThat(SyncEmbeddingPsf.stub(cluster.worker(1))
                        .call(T, key, none, 0)
                        .await())
                .isEqualTo(new SyncEmbedding.Response(key, LongArray.of(0), FloatArray.of(0)));
        assertThat(zero.isDone()).isFalse();
        Pending<PushEmbedding.Response> one =
                PushEmbeddingPsf.stub(cluster.worker(1)).call(T, key, FloatArray.of(100), IntArray.of(2));
        assertThat(zero.await().values()).isEqualTo(FloatArray.of(110));
        one.await();
        assertThat(SyncEmbeddingPsf.stub(cluster.worker(1))
                        .call(T, key, none, 0)
                        .await())
                .isEqualTo(new SyncEmbedding.Response(key, LongArray.of(3), FloatArray.of(110)));
    }

    @Test
    void whatIsWrongIsNamedAndChangesNothing() {
        TestCluster cluster = cached().on(2);
        LongArray one = LongArray.of(1);
        FloatArray ones = FloatArray.of(1, 1);
        IntArray once = IntArray.of(1);
        PushSyncEmbeddingPsf.Stub both = PushSyncEmbeddingPsf.stub(cluster);
        refused(() -> sync(cluster, one, one, -1), "bound: -1 (expected: >= 0 updates)");
        refused(
                () -> sync(cluster, one, LongArray.of(-2), 0),
                "version of a row: -2 (expected: >= 0, or -1 if it is not cached)");
        refused(() -> sync(cluster, one, LongArray.of(1, 2), 0), "versions length: 2 (expected: 1");
        refused(
                () -> push(cluster, new Push(one, ones, IntArray.of(-1))),
                "updates of a row: -1 (expected: >= 0) in psf.cache.push on tensor \"table\"");
        refused(() -> both.call(T, one, ones, once, one, one, -1).await(), "bound: -1");
        refused(() -> both.call(T, one, ones, once, one, LongArray.of(-2), 0).await(), "version of a row: -2");
        refused(() -> both.call(T, one, ones, once, LongArray.of(ROWS), one, 0).await(), "syncKeys[0]: 30");
        assertThat(cluster.values(T)).containsOnly(0);
        assertThat(sync(cluster, one, LongArray.of(-1), 0).versions()).isEqualTo(LongArray.of(0));
    }

    private static void refused(ThrowingCallable call, String why) {
        assertThatThrownBy(call).isInstanceOf(PsException.class).hasMessageContaining(why);
    }
}
