package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.EmbeddingCache.Policy;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.cache.PushSyncEmbedding;
import io.psf.builtin.cache.PushSyncEmbeddingPsf;
import io.psf.builtin.cache.SyncEmbedding;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.runtime.PsCluster;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Caches of workers that run at once, and keep what arrives over sockets and shared memory. */
@Timeout(120)
final class ConcurrentCachesTest {
    private static final int ROWS = 200;
    private static final int WIDTH = 8;

    /** Each update adds 1 to a row, so that a row at version v is v in every element, whoever looks. */
    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"TCP_MAPPED", "SHARED_MEMORY", "NETTY"})
    void valuesAndVersionsGoTogetherAndStayWithinTheBound(Over over) {
        AtomicLongArray acknowledged = new AtomicLongArray(ROWS);
        try (PsCluster cluster = Clusters.start(over, 3, 3)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId table = Tensors.init(worker, TensorSpec.table("table", ROWS, WIDTH));
                Random random = new Random(worker.rank());
                int bound = worker.rank() * 5;
                Map<Long, Long> cached = new HashMap<>();
                for (int step = 0; step < 300; step++) {
                    long[] pushed = random.longs(random.nextInt(10), 0, ROWS).toArray();
                    int[] counts = random.ints(pushed.length, 1, 4).toArray();
                    long[] asked = random.longs(random.nextInt(40), 0, ROWS).toArray();
                    long[] versions = Arrays.stream(asked)
                            .map(key -> cached.getOrDefault(key, -1L))
                            .toArray();
                    long[] before = Arrays.stream(asked)
                            .map(key -> acknowledged.get((int) key))
                            .toArray();
                    LongArray keys;
                    LongArray now;
                    FloatArray values;
                    if (random.nextBoolean()) {
                        PushEmbeddingPsf.stub(worker)
                                .call(table, LongArray.wrap(pushed), rows(counts), IntArray.wrap(counts))
                                .await();
                        SyncEmbedding.Response answer = SyncEmbeddingPsf.stub(worker)
                                .call(table, LongArray.wrap(asked), LongArray.wrap(versions), bound)
                                .await();
                        keys = answer.keys();
                        now = answer.versions();
                        values = answer.values();
                    } else {
                        PushSyncEmbedding.Response answer = PushSyncEmbeddingPsf.stub(worker)
                                .call(
                                        table,
                                        LongArray.wrap(pushed),
                                        rows(counts),
                                        IntArray.wrap(counts),
                                        LongArray.wrap(asked),
                                        LongArray.wrap(versions),
                                        bound)
                                .await();
                        keys = answer.keys();
                        now = answer.versions();
                        values = answer.values();
                    }
                    for (int i = 0; i < pushed.length; i++) {
                        acknowledged.addAndGet((int) pushed[i], counts[i]);
                    }
                    for (int i = 0; i < keys.length(); i++) {
                        cached.put(keys.get(i), now.get(i));
                        for (int c = 0; c < WIDTH; c++) {
                            assertThat(values.get(i * WIDTH + c)).isEqualTo((float) now.get(i));
                        }
                    }
                    for (int i = 0; i < asked.length; i++) {
                        assertThat(cached.get(asked[i])).isGreaterThanOrEqualTo(before[i] - bound);
                    }
                }
                worker.barrier();
                float[] all = Tensors.pull(worker, table);
                for (int i = 0; i < all.length; i++) {
                    assertThat(all[i]).as("element %d", i).isEqualTo((float) acknowledged.get(i / WIDTH));
                }
            });
        }
    }

    private static FloatArray rows(int[] counts) {
        FloatArray rows = FloatArray.allocate(counts.length * WIDTH);
        for (int i = 0; i < rows.length(); i++) {
            rows.set(i, counts[i / WIDTH]);
        }
        return rows;
    }

    /**
     * Each worker's updates add its own unit. A look-up contains all own updates, lacks at most the bound of those that
     * the other worker had flushed before, and has none that were not made; all are in the table after the flushes.
     */
    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"TCP_MAPPED", "SHARED_MEMORY", "NETTY"})
    void ht7_aSmallCacheOverALargeTableLosesNothing(Over over) {
        int rows = 10_000;
        AtomicIntegerArray[] made = {new AtomicIntegerArray(rows), new AtomicIntegerArray(rows)};
        AtomicIntegerArray[] flushed = {new AtomicIntegerArray(rows), new AtomicIntegerArray(rows)};
        TensorSpec spec = TensorSpec.table("table", rows, WIDTH).initializer(Initializers.uniform(-1, 1, 3));
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            Clusters.onEachWorker(cluster, worker -> {
                int rank = worker.rank();
                int other = 1 - rank;
                int pullBound = 10 * rank;
                Random random = new Random(7 + rank);
                EmbeddingCache cache = EmbeddingCache.of(worker, spec)
                        .rows(1_000)
                        .policy(rank == 0 ? Policy.LRU : Policy.LFU_OPT)
                        .pullBound(pullBound)
                        .pushBound(5L * rank)
                        .open();
                float[] first = Tensors.pull(worker, cache.table());
                worker.barrier();
                for (int step = 0; step < 300; step++) {
                    int least = step % 3 == 0 ? rows / 2 : 0; // all on the second server
                    long[] keys = random.longs(random.nextInt(200), least, rows).toArray();
                    for (int i = 0; i < keys.length; i += 2) {
                        keys[i] = random.nextInt(rows - 30, rows); // often enough that the bound is reached
                    }
                    int[] before = Arrays.stream(keys)
                            .mapToInt(key -> flushed[other].get((int) key))
                            .toArray();
                    if (random.nextBoolean()) {
                        cache.prefetch(keys);
                    }
                    if (random.nextBoolean()) {
                        Arrays.stream(keys).forEach(key -> made[rank].incrementAndGet((int) key));
                        cache.update(keys, filled(keys.length, rank == 0 ? 1 : 1024));
                    }
                    if (random.nextInt(4) == 0) {
                        cache.flush();
                        copy(made[rank], flushed[rank]);
                    }
                    float[] values = new float[keys.length * WIDTH];
                    cache.lookUp(keys, values);
                    for (int i = 0; i < keys.length; i++) {
                        int counts = counts(values, i, first, (int) keys[i]);
                        int[] seen = {counts % 1024, counts / 1024};
                        assertThat(seen[rank]).isEqualTo(made[rank].get((int) keys[i]));
                        assertThat(seen[other]).isBetween(before[i] - pullBound, made[other].get((int) keys[i]));
                    }
                }
                cache.close();
                worker.barrier();
                float[] all = Tensors.pull(worker, cache.table());
                for (int i = 0; i < all.length; i++) {
                    float sum = made[0].get(i / WIDTH) + 1024f * made[1].get(i / WIDTH);
                    assertThat(all[i] - first[i]).isCloseTo(sum, offset(0.1f));
                }
            });
        }
    }

    /** Returns what has been added to a row since the beginning, to each of its values the same. */
    private static int counts(float[] values, int position, float[] first, int row) {
        int[] counts = IntStream.range(0, WIDTH)
                .map(c -> Math.round(values[position * WIDTH + c] - first[row * WIDTH + c]))
                .distinct()
                .toArray();
        assertThat(counts).hasSize(1);
        return counts[0];
    }

    private static float[] filled(int n, float value) {
        float[] rows = new float[n * WIDTH];
        Arrays.fill(rows, value);
        return rows;
    }

    private static void copy(AtomicIntegerArray from, AtomicIntegerArray to) {
        for (int i = 0; i < from.length(); i++) {
            to.set(i, from.get(i));
        }
    }
}
