package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.EmbeddingCache.Policy;
import io.psf.builtin.cache.CacheCounters;
import io.psf.builtin.cache.PushEmbedding;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.cache.SyncEmbedding;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.runtime.PsCluster;
import io.psf.testkit.TestCluster;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EmbeddingCacheTest {
    private static final int ROWS = 60;
    private static final int WIDTH = 3;
    private static final TensorSpec SPEC =
            TensorSpec.table("table", ROWS, WIDTH).initializer(Initializers.constant(0.5));

    private static TestCluster cluster(int servers) {
        return BuiltinCluster.functions()
                .and(SyncEmbeddingPsf.bind(new SyncEmbedding() {}))
                .and(PushEmbeddingPsf.bind(new PushEmbedding() {}))
                .on(servers);
    }

    private static float[] rows(int n, float value) {
        float[] rows = new float[n * WIDTH];
        Arrays.fill(rows, value);
        return rows;
    }

    private static float[] lookUp(EmbeddingCache cache, long... keys) {
        float[] into = new float[keys.length * WIDTH];
        cache.lookUp(keys, into);
        return into;
    }

    private static float[] pull(TestCluster cluster, EmbeddingCache cache, long... keys) {
        float[] into = new float[keys.length * WIDTH];
        Tensors.pullRows(cluster, cache.table(), keys, into).await();
        return into;
    }

    /** The server rounds a step of 1/1024 to nothing. */
    @Test
    void rowsOf16BitsAreThoseOfTheServers() {
        TestCluster cluster = cluster(1);
        TensorSpec spec = SPEC.optimizer(Optimizers.sgd(1)).storage(FloatType.BFLOAT16);
        EmbeddingCache cache =
                EmbeddingCache.of(cluster, spec).rows(10).pushBound(5).open();
        long[] keys = {1, 2, 3};
        assertThat(lookUp(cache, keys)).isEqualTo(rows(3, 0.5f));
        for (int i = 0; i < 3; i++) {
            cache.update(keys, rows(3, 1 / 1024f));
            float[] seen = lookUp(cache, keys);
            assertThat(seen).isEqualTo(pull(cluster, cache, keys));
        }
    }

    /** One of two caches. Each of its updates adds its unit, so that a value tells which updates it contains. */
    private static final class Party {
        final EmbeddingCache cache;
        final float sign;
        final int unit;
        final int pullBound;
        final int pushBound;
        final int[] total = new int[ROWS];
        /** The other's total at the last prefetch. */
        int[] atPrefetch = new int[0];

        Party(EmbeddingCache.Builder builder, Random random, float sign, int unit) {
            this.sign = sign;
            this.unit = unit;
            this.pullBound = random.nextInt(3) * random.nextInt(5);
            this.pushBound = random.nextInt(3) * random.nextInt(5);
            Policy[] policies = Policy.values();
            this.cache = builder.rows(1 + random.nextInt(25))
                    .policy(policies[random.nextInt(policies.length)])
                    .pullBound(pullBound)
                    .pushBound(pushBound)
                    .open();
        }

        void update(long[] keys) {
            cache.update(keys, rows(keys.length, sign * unit));
            for (long key : keys) {
                total[(int) key]++;
            }
        }

        void lookUp(String where, Party other, long[] keys) {
            float[] values = EmbeddingCacheTest.lookUp(cache, keys);
            for (int i = 0; i < values.length; i++) {
                int key = (int) keys[i / WIDTH];
                int sum = (int) (values[i] - 0.5f);
                int own = unit == 1 ? sum & 4095 : sum >> 12;
                int others = unit == 1 ? sum >> 12 : sum & 4095;
                int known = atPrefetch.length > 0 ? atPrefetch[key] : other.total[key];
                assertThat(own).as("own updates, %s, key %d", where, key).isEqualTo(total[key]);
                assertThat(others)
                        .as("updates of the other, %s, key %d", where, key)
                        .isBetween(known - other.pushBound - pullBound, other.total[key]);
            }
            atPrefetch = new int[0];
        }
    }

    private static long[] randomKeys(Random random, int least) {
        return random.longs(random.nextInt(40), least, ROWS).toArray();
    }

    /** With ADD and SGD. In half of the runs all keys are on the last server. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void lookUpsAreWithinTheBoundsAndTheTableIsExactAfterAFlush(int servers) {
        for (int seed = 0; seed < Laws.cases(8); seed++) {
            Random random = new Random(seed);
            TestCluster cluster = cluster(servers);
            boolean sgd = random.nextBoolean();
            TensorSpec spec = (random.nextBoolean()
                            ? SPEC
                            : TensorSpec.growing("growing", WIDTH).initializer(Initializers.constant(0.5)))
                    .optimizer(sgd ? Optimizers.sgd(0.5) : Optimizers.add(0.5));
            float sign = sgd ? -2 : 2;
            int least = random.nextBoolean() ? 0 : ROWS - ROWS / servers + 1;
            Party a = new Party(EmbeddingCache.of(cluster, spec), random, sign, 1);
            Party b = new Party(EmbeddingCache.of(cluster, spec), random, sign, 4096);
            for (int step = 0; step < 100; step++) {
                boolean first = random.nextBoolean();
                Party one = first ? a : b;
                Party other = first ? b : a;
                long[] keys = randomKeys(random, least);
                switch (random.nextInt(5)) {
                    case 0, 1 -> one.lookUp("seed " + seed + ", step " + step, other, keys);
                    case 2 -> one.update(keys);
                    case 3 -> {
                        one.cache.prefetch(keys);
                        one.atPrefetch = other.total.clone();
                        one.update(randomKeys(random, least));
                        one.lookUp("prefetch, seed " + seed + ", step " + step, other, keys);
                    }
                    default -> one.cache.flush();
                }
            }
            a.cache.close();
            b.cache.flush();
            long[] all = new long[ROWS];
            Arrays.setAll(all, i -> i);
            float[] values = pull(cluster, b.cache, all);
            for (int i = 0; i < values.length; i++) {
                assertThat(values[i]).isEqualTo(0.5f + a.total[i / WIDTH] + 4096f * b.total[i / WIDTH]);
            }
            b.cache.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Policy.class)
    void aHitReceivesNothing(Policy policy) {
        TestCluster cluster = cluster(2);
        try (EmbeddingCache cache = EmbeddingCache.of(cluster, SPEC)
                .rows(4)
                .policy(policy)
                .pullBound(EmbeddingCache.UNLIMITED)
                .pushBound(10)
                .open()) {
            lookUp(cache, 59, 1, 59);
            cache.update(new long[] {59, 1}, rows(2, 1));
            assertThat(lookUp(cache, 1, 59)).containsOnly(1.5f);
            CacheCounters counters = cache.counters();
            assertThat(counters.rows()).isEqualTo(4);
            assertThat(counters.hits()).isEqualTo(2);
            assertThat(counters.misses()).isEqualTo(2);
            assertThat(counters.sent()).isEqualTo(8 + 2 * 16);
            assertThat(counters.received()).isEqualTo(2 * (16 + 4 * WIDTH));
            assertThat(counters.withoutCache()).isEqualTo(6 * (8 + 4 * WIDTH));
            assertThat(pull(cluster, cache, 1)).containsOnly(0.5f);
            cache.flush();
            assertThat(pull(cluster, cache, 1)).containsOnly(1.5f);
            assertThat(cache.counters().pushed()).isEqualTo(2);
        }
    }

    @Test
    void aCallEvictsNoneOfItsOwnRows() {
        try (EmbeddingCache cache = EmbeddingCache.of(cluster(1), SPEC)
                .rows(2)
                .policy(Policy.LRU)
                .pullBound(EmbeddingCache.UNLIMITED)
                .open()) {
            lookUp(cache, 1);
            lookUp(cache, 2);
            lookUp(cache, 3, 1);
            assertThat(cache.counters().misses()).isEqualTo(3);
        }
    }

    @Test
    void ownPushesDoNotMakeARowStale() {
        TestCluster cluster = cluster(1);
        try (EmbeddingCache cache = EmbeddingCache.of(cluster, SPEC).rows(4).open()) {
            lookUp(cache, 5);
            for (int i = 0; i < 10; i++) {
                cache.update(new long[] {5}, rows(1, 1));
                assertThat(lookUp(cache, 5)).containsOnly(1.5f + i);
            }
            assertThat(cache.counters().pushed()).isEqualTo(10);
            assertThat(cache.counters().stale()).isZero();
            assertThat(cache.counters().misses()).isEqualTo(1);
        }
    }

    @Test
    void anOptimizerWithStateStepsBeforeItsRowsAreShown() {
        TestCluster cluster = cluster(2);
        TensorSpec spec = SPEC.optimizer(Optimizers.adaGrad(1));
        EmbeddingCache.Builder builder =
                EmbeddingCache.of(cluster, spec).rows(4).pullBound(100).pushBound(100);
        try (EmbeddingCache shown = builder.open();
                EmbeddingCache hidden = builder.showOwnUpdates(false).open()) {
            lookUp(hidden, 3);
            hidden.update(new long[] {3}, rows(1, 1));
            assertThat(lookUp(hidden, 3)).containsOnly(0.5f);
            shown.update(new long[] {3, 3}, rows(2, 1));
            float[] now = lookUp(shown, 3);
            assertThat(now).containsExactly(pull(cluster, shown, 3));
            assertThat(now[0]).isBetween(-0.51f, -0.49f); // one step for the sum
            assertThat(shown.counters().pushed()).isEqualTo(1);
            shown.prefetch(new long[] {3});
            shown.update(new long[] {3}, rows(1, 1));
            assertThat(lookUp(shown, 3)).containsExactly(pull(cluster, shown, 3));
            hidden.flush();
            assertThat(lookUp(hidden, 3)).as("sent").containsExactly(pull(cluster, hidden, 3));
        }
    }

    /** Whatever the pull bound: a worker that never saw its own training would not converge. */
    @ParameterizedTest
    @ValueSource(longs = {0, 100, EmbeddingCache.UNLIMITED})
    void ownUpdatesThatAreNotShownAreThoseThatAreUnsent(long pullBound) {
        for (OptimizerSpec optimizer : List.of(Optimizers.adaGrad(1), Optimizers.sgd(1))) {
            TestCluster cluster = cluster(2);
            try (EmbeddingCache cache = EmbeddingCache.of(cluster, SPEC.optimizer(optimizer))
                    .rows(4)
                    .pullBound(pullBound)
                    .pushBound(2)
                    .showOwnUpdates(false)
                    .open()) {
                float[] before = lookUp(cache, 3);
                cache.update(new long[] {3}, rows(1, 1));
                assertThat(lookUp(cache, 3)).as("one unsent").containsExactly(before);
                cache.update(new long[] {3}, rows(1, 1));
                assertThat(lookUp(cache, 3)).as("two unsent").containsExactly(before);
                cache.prefetch(new long[] {3});
                cache.update(new long[] {3}, rows(1, 1));
                assertThat(lookUp(cache, 3))
                        .as("three, sent by the push bound")
                        .isNotEqualTo(before)
                        .containsExactly(pull(cluster, cache, 3));
                cache.update(new long[] {3}, rows(1, 1));
                cache.prefetch(new long[] {3});
                cache.flush();
                assertThat(lookUp(cache, 3)).as("flushed").containsExactly(pull(cluster, cache, 3));
            }
        }
    }

    @Test
    void aPrefetchIsNotRequestedAgain() {
        TestCluster cluster = cluster(2);
        try (EmbeddingCache cache =
                EmbeddingCache.of(cluster, SPEC).rows(4).pushBound(9).open()) {
            cache.prefetch(new long[] {1, 40, 1});
            cache.update(new long[] {40}, rows(1, 1));
            assertThat(lookUp(cache, 40, 1)).containsExactly(1.5f, 1.5f, 1.5f, 0.5f, 0.5f, 0.5f);
            CacheCounters counters = cache.counters();
            assertThat(counters.prefetched()).isEqualTo(2);
            assertThat(counters.hits()).isEqualTo(2);
            assertThat(counters.sent()).isEqualTo(8 + 2 * 16);
            lookUp(cache, 40, 1);
            assertThat(cache.counters().sent()).as("compared again").isEqualTo(2 * (8 + 2 * 16));
        }
    }

    /** The servers answer the prefetch only after the update has been made. */
    @Test
    void aPrefetchDoesNotWaitAndHasNotTheUpdatesThatFollowIt() {
        CountDownLatch updated = new CountDownLatch(1);
        PsCluster.Builder builder = PsCluster.builder().servers(2).interceptors((call, next) -> {
            if (call.function().equals("psf.cache.sync")) {
                try {
                    updated.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return next.get();
        });
        try (PsCluster cluster = builder.start();
                EmbeddingCache cache = EmbeddingCache.of(cluster.worker(), SPEC)
                        .rows(10)
                        .pushBound(1)
                        .open()) {
            long[] unsent = {1};
            cache.update(unsent, rows(1, 5));
            cache.prefetch(new long[] {1, 59});
            cache.update(unsent, rows(1, 5)); // more than the bound: pushed
            updated.countDown();
            assertThat(lookUp(cache, 59, 1)).containsExactly(0.5f, 0.5f, 0.5f, 10.5f, 10.5f, 10.5f);
            assertThat(cache.counters().hits()).isEqualTo(1);
        }
    }

    @Test
    void aSavedTableHasTheUpdatesOfTheCache(@TempDir Path directory) {
        TestCluster cluster = TestCluster.of(2, 1, directory);
        try (EmbeddingCache cache =
                EmbeddingCache.of(cluster, SPEC).rows(10).pushBound(100).open()) {
            long[] keys = {3, 58};
            cache.update(keys, rows(2, 5));
            cache.save("model");
            cache.update(keys, rows(2, 5));
            cache.flush();
            Tensors.load(cluster, cache.table(), "model");
            assertThat(pull(cluster, cache, keys)).containsOnly(5.5f);
        }
    }

    /**
     * Most of the traffic of a skewed stream is saved, with half of the rows in the cache. The bytes are counted from
     * the first look-up on.
     */
    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"LRU", "LFU"})
    void aZipfStreamTransfersAFifthOfTheBytes(Policy policy) {
        int width = 64;
        int rows = Laws.cases(20_000);
        double[] upTo = new double[rows];
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            sum += Math.pow(i + 1, -1.05);
            upTo[i] = sum;
        }
        Random random = new Random(5);
        try (EmbeddingCache cache = EmbeddingCache.of(cluster(2), TensorSpec.table("table", rows, width))
                .rows(rows / 2)
                .policy(policy)
                .pullBound(100)
                .pushBound(100)
                .open()) {
            long[] keys = new long[512];
            float[] values = new float[keys.length * width];
            for (int step = 0; step < Laws.cases(400); step++) {
                for (int i = 0; i < keys.length; i++) {
                    int at = Arrays.binarySearch(upTo, random.nextDouble() * sum);
                    keys[i] = (at >= 0 ? at : -at - 1) * 7_368_787L % rows;
                }
                cache.lookUp(keys, values);
                cache.update(keys, values);
            }
            cache.flush();
            CacheCounters counters = cache.counters();
            double share = (double) (counters.sent() + counters.received()) / counters.withoutCache();
            assertThat(share).isLessThan(0.22); // 0.2 of 100,000 rows
        }
    }

    @Test
    void aBypassedCacheIsThePlainCalls() {
        TestCluster cluster = cluster(2);
        try (EmbeddingCache direct =
                        EmbeddingCache.of(cluster, SPEC).bypass(true).open();
                EmbeddingCache cache = EmbeddingCache.of(cluster, SPEC).rows(2).open()) {
            lookUp(cache, 7);
            direct.prefetch(new long[] {7});
            direct.update(new long[] {7, 7}, rows(2, 1));
            assertThat(lookUp(direct, 7, 7)).containsOnly(2.5f);
            assertThat(lookUp(cache, 7)).as("the versions count the updates").containsOnly(2.5f);
            assertThat(direct.counters().withoutCache()).isEqualTo(2 * (8 + 4 * WIDTH));
            assertThat(direct.counters().received()).isEqualTo(4 * WIDTH);
        }
    }

    @Test
    void bytesAreThoseOfTheFormatInWhichValuesAreSent() {
        TestCluster cluster = cluster(2);
        int width = 20;
        for (FloatType type : FloatType.values()) {
            long row = switch (type) {
                case FLOAT32 -> 80;
                case FLOAT16, BFLOAT16 -> 40;
                case INT8 -> 24;
            };
            TensorSpec spec = TensorSpec.table("wire " + type, 50, width).wire(type);
            try (EmbeddingCache cache = EmbeddingCache.of(cluster, spec).rows(8).open()) {
                cache.lookUp(new long[] {3, 4}, new float[2 * width]);
                assertThat(cache.counters().received()).isEqualTo(2 * (16 + row));
                assertThat(cache.counters().withoutCache()).isEqualTo(2 * (8 + row));
            }
        }
    }

    @Test
    void anyLongIsAKeyOfAGrowingTable() {
        TestCluster cluster = cluster(3);
        TensorSpec spec = TensorSpec.growing("growing", WIDTH);
        long[] keys = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE};
        try (EmbeddingCache cache = EmbeddingCache.of(cluster, spec).rows(2).open()) {
            assertThat(lookUp(cache, keys)).containsOnly(0);
            assertThat(cluster.keys(cache.table())).isEmpty();
            cache.update(keys, rows(4, 3));
            cache.flush();
            assertThat(pull(cluster, cache, keys)).containsOnly(3);
        }
    }

    @Test
    void anOptimizerThatChangesOtherRowsIsRefusedUnlessNothingIsCached() {
        TestCluster cluster = cluster(2);
        EmbeddingCache.Builder builder = EmbeddingCache.of(cluster, SPEC.optimizer(Optimizers.allRowsAdam(0.1)))
                .rows(5);
        assertThatThrownBy(builder::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("optimizer of tensor \"table\": psf.all-rows-adam (expected: one that changes the"
                        + " pushed rows alone");
        builder.bypass(true).open().close();
    }

    @Test
    void wrongArgumentsAreNamedAndChangeNothing() {
        TestCluster cluster = cluster(2);
        EmbeddingCache.Builder builder = EmbeddingCache.of(cluster, SPEC);
        assertThatThrownBy(() -> EmbeddingCache.of(cluster, SPEC.updates(Updates.MEAN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("updates of tensor \"table\": MEAN (expected: EACH");
        assertThatThrownBy(builder::open).hasMessage("rows: 0 (expected: 1 to 536870911)");
        assertThatThrownBy(() -> builder.pullBound(-1)).hasMessageContaining("pullBound: -1 (expected: 0 to");
        assertThatThrownBy(() -> builder.pushBound(-1)).hasMessageContaining("pushBound: -1 (expected: 0 to");
        EmbeddingCache cache = builder.rows(2).pushBound(5).open();
        assertThatThrownBy(() -> EmbeddingCache.of(cluster, SPEC.optimizer(Optimizers.sgd(1)))
                        .rows(1)
                        .open())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("ALREADY_EXISTS");
        assertThatThrownBy(() -> cache.lookUp(new long[] {1}, new float[2]))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("into length: 2 (expected: 3, 1 keys x 3) on tensor \"table\"");
        assertThatThrownBy(() -> cache.update(new long[] {1, ROWS}, rows(2, 1)))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("keys[1]: 60 (expected: a row in [0, 60)) on tensor \"table\"");
        assertThatThrownBy(() -> cache.prefetch(new long[] {-1})).hasMessageContaining("keys[0]: -1");
        cache.close();
        cache.close();
        assertThatThrownBy(() -> lookUp(cache, 1)).hasMessageContaining("closed (expected: open)");
        assertThat(Tensors.pull(cluster, cache.table())).containsOnly(0.5f);
    }

    @Test
    void aFailedPushIsReportedByEachLaterCall() {
        TestCluster cluster = cluster(2);
        EmbeddingCache cache = EmbeddingCache.of(cluster, SPEC).rows(8).open();
        lookUp(cache, 1, 59);
        TensorId table = cache.table();
        Tensors.clear(cluster, table);
        assertThatThrownBy(() -> {
                    cache.update(new long[] {1}, rows(1, 1));
                    cache.flush();
                })
                .isInstanceOf(PsException.class)
                .hasMessageContaining("UNKNOWN_TENSOR");
        assertThatThrownBy(() -> lookUp(cache, 59))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("UNKNOWN_TENSOR: a push of the cache on tensor \"table\" has failed");
        assertThatThrownBy(() -> cache.update(new long[] {1}, rows(1, 1))).hasMessageContaining("has failed");
        assertThatThrownBy(() -> cache.prefetch(new long[] {1})).hasMessageContaining("has failed");
        assertThatThrownBy(cache::close).hasMessageContaining("has failed");
        cache.close();
    }
}
