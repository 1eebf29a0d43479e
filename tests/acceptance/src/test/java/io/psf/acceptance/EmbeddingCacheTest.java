package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.EmbeddingCache.Policy;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.cache.CacheCounters;
import io.psf.cli.LocalJob;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The embedding cache on workers of a cluster. */
@Timeout(120)
final class EmbeddingCacheTest {
    private static final int WIDTH = 16;

    private static float[] rows(int n, float value) {
        float[] rows = new float[n * WIDTH];
        Arrays.fill(rows, value);
        return rows;
    }

    /**
     * Each worker's updates add its own unit. A look-up contains all own updates, lacks at most the bound of those that the
     * other worker had flushed before, and has none that were not made; all are in the table after the flushes.
     */
    @ParameterizedTest
    @EnumSource(Over.class)
    void ht7_aSmallCacheOverALargeTableLosesNothing(Over over) {
        int rows = 10_000;
        int pullBound = 10;
        AtomicIntegerArray[] made = {new AtomicIntegerArray(rows), new AtomicIntegerArray(rows)};
        AtomicIntegerArray[] flushed = {new AtomicIntegerArray(rows), new AtomicIntegerArray(rows)};
        TensorSpec spec = TensorSpec.table("table", rows, WIDTH).initializer(Initializers.uniform(-1, 1, 3));
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            Clusters.onEachWorker(cluster, worker -> {
                int rank = worker.rank();
                int other = 1 - rank;
                Random random = new Random(7 + rank);
                EmbeddingCache cache = EmbeddingCache.of(worker, spec)
                        .rows(1_000)
                        .pullBound(pullBound)
                        .pushBound(5)
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
                        cache.update(keys, rows(keys.length, rank == 0 ? 1 : 1024));
                    }
                    if (random.nextInt(4) == 0) {
                        cache.flush();
                        copy(made[rank], flushed[rank]);
                    }
                    float[] values = new float[keys.length * WIDTH];
                    cache.lookUp(keys, values);
                    for (int i = 0; i < values.length; i++) {
                        int key = (int) keys[i / WIDTH];
                        int counts = Math.round(values[i] - first[key * WIDTH + i % WIDTH]);
                        int[] seen = {counts % 1024, counts / 1024};
                        assertThat(seen[rank]).isEqualTo(made[rank].get(key));
                        assertThat(seen[other]).isBetween(before[i / WIDTH] - pullBound, made[other].get(key));
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

    private static void copy(AtomicIntegerArray from, AtomicIntegerArray to) {
        for (int i = 0; i < from.length(); i++) {
            to.set(i, from.get(i));
        }
    }

    /**
     * Each worker's updates add its own unit. A look-up contains all own updates, and lacks at most the bound of those that
     * the other worker had flushed before.
     */
    @ParameterizedTest
    @EnumSource(Over.class)
    void lookUpsOfTwoWorkersAreWithinTheBound(Over over) {
        int rows = 300;
        AtomicIntegerArray[] flushed = {new AtomicIntegerArray(rows), new AtomicIntegerArray(rows)};
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            Clusters.onEachWorker(cluster, worker -> {
                int rank = worker.rank();
                int pullBound = rank * 3;
                int[] own = new int[rows];
                Random random = new Random(rank);
                EmbeddingCache cache = EmbeddingCache.of(worker, TensorSpec.table("table", rows, WIDTH))
                        .rows(60 + 40 * rank)
                        .policy(rank == 0 ? Policy.LRU : Policy.LFU_OPT)
                        .pullBound(pullBound)
                        .pushBound(rank)
                        .open();
                for (int step = 0; step < 400; step++) {
                    long[] keys = random.longs(50, 0, rows).toArray();
                    int[] before = Arrays.stream(keys)
                            .mapToInt(key -> flushed[1 - rank].get((int) key))
                            .toArray();
                    if (random.nextBoolean()) {
                        cache.prefetch(keys);
                    }
                    cache.update(keys, rows(keys.length, rank == 0 ? 1 : 1024));
                    for (long key : keys) {
                        own[(int) key]++;
                    }
                    if (random.nextInt(4) == 0) {
                        cache.flush();
                        for (int i = 0; i < rows; i++) {
                            flushed[rank].set(i, own[i]);
                        }
                    }
                    float[] values = new float[keys.length * WIDTH];
                    cache.lookUp(keys, values);
                    for (int i = 0; i < values.length; i++) {
                        int zero = (int) values[i] % 1024;
                        int one = (int) values[i] / 1024;
                        assertThat(rank == 0 ? zero : one).isEqualTo(own[(int) keys[i / WIDTH]]);
                        assertThat(rank == 0 ? one : zero).isGreaterThanOrEqualTo(before[i / WIDTH] - pullBound);
                    }
                }
                cache.close();
                for (int i = 0; i < rows; i++) {
                    flushed[rank].set(i, own[i]);
                }
                worker.barrier();
                float[] all = Tensors.pull(worker, cache.table());
                for (int i = 0; i < all.length; i++) {
                    assertThat(all[i]).isEqualTo(flushed[0].get(i / WIDTH) + 1024f * flushed[1].get(i / WIDTH));
                }
            });
        }
    }

    /** The servers answer the prefetch only after the update has been made. */
    @Test
    void aPrefetchDoesNotWaitAndHasNotTheUpdatesThatFollowIt() {
        CountDownLatch updated = new CountDownLatch(1);
        PsCluster.Builder builder = PsCluster.builder().servers(2).workers(1).interceptors((call, next) -> {
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
                EmbeddingCache cache = EmbeddingCache.of(cluster.worker(0), TensorSpec.table("table", 100, WIDTH))
                        .rows(10)
                        .pushBound(1)
                        .open()) {
            long[] unsent = {1};
            cache.update(unsent, rows(1, 5));
            cache.prefetch(new long[] {1, 99});
            cache.update(unsent, rows(1, 5)); // more than the bound: pushed
            updated.countDown();
            float[] values = rows(2, -1);
            cache.lookUp(new long[] {99, 1}, values);
            assertThat(Arrays.copyOf(values, WIDTH)).containsOnly(0);
            assertThat(Arrays.copyOfRange(values, WIDTH, 2 * WIDTH)).containsOnly(10);
            assertThat(cache.counters().hits()).isEqualTo(1);
        }
    }

    @Test
    void aSavedTableHasTheUpdatesOfTheCache(@TempDir Path directory) {
        TensorSpec spec = TensorSpec.table("table", 100, WIDTH);
        try (PsCluster cluster =
                        PsCluster.builder().servers(2).checkpoints(directory).start();
                EmbeddingCache cache = EmbeddingCache.of(cluster.worker(0), spec)
                        .rows(10)
                        .pushBound(100)
                        .open()) {
            long[] keys = {3, 98};
            cache.update(keys, rows(2, 5));
            cache.save("model");
            cache.update(keys, rows(2, 5));
            cache.flush();
            Tensors.load(cluster.worker(0), cache.table(), "model");
            float[] values = new float[2 * WIDTH];
            try (EmbeddingCache after =
                    EmbeddingCache.of(cluster.worker(0), spec).rows(10).open()) {
                after.lookUp(keys, values);
                assertThat(values).containsOnly(5);
            }
        }
    }

    /** It is not known whether the push was applied, so its updates are not sent again. */
    @Test
    void afterTheLossOfAServerTheCacheFails() throws Exception {
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "3s"))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
            TensorSpec spec = TensorSpec.table("table", 100, WIDTH).optimizer(Optimizers.sgd(1));
            EmbeddingCache cache = EmbeddingCache.of(worker, spec).rows(10).open();
            float[] values = new float[2 * WIDTH];
            long[] keys = {1, 99};
            cache.lookUp(keys, values);
            cache.update(keys, rows(2, 1));
            cache.flush();
            job.kill("server 1");
            assertUnavailable(() -> {
                for (int step = 0; step < 1_000_000; step++) {
                    cache.update(keys, rows(2, 1));
                }
            });
            assertUnavailable(() -> cache.lookUp(keys, values));
            assertUnavailable(() -> cache.update(keys, values));
            assertUnavailable(cache::flush);
            assertUnavailable(cache::close);
            assertUnavailable(worker::close);
        }
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
    }

    /**
     * Most of the traffic of a skewed stream is saved, with half of the rows in the cache. The bytes are counted from the
     * first look-up on.
     */
    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"LRU", "LFU"})
    void aZipfStreamTransfersAFifthOfTheBytes(Policy policy) {
        int width = 64;
        int rows = 100_000;
        double[] upTo = new double[rows];
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            sum += Math.pow(i + 1, -1.05);
            upTo[i] = sum;
        }
        Random random = new Random(5);
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(1).start();
                EmbeddingCache cache = EmbeddingCache.of(cluster.worker(0), TensorSpec.table("table", rows, width))
                        .rows(rows / 2)
                        .policy(policy)
                        .pullBound(100)
                        .pushBound(100)
                        .open()) {
            long[] keys = new long[512];
            float[] values = new float[keys.length * width];
            for (int step = 0; step < 2_000; step++) {
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
            assertThat(share).isLessThan(0.2);
        }
    }
}
