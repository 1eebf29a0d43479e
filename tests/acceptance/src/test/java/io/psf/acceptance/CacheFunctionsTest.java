package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.PushEmbedding;
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
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Caches of several workers on one table. */
@Timeout(60)
final class CacheFunctionsTest {
    private static final int ROWS = 200;
    private static final int WIDTH = 8;

    /** Each update adds 1 to a row, so that a row at version v is v in every element, whoever looks. */
    @ParameterizedTest
    @EnumSource(Over.class)
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

    @ParameterizedTest
    @EnumSource(Over.class)
    void onASynchronousTableARoundIsInValuesAndVersionsAtOnce(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorSpec spec = TensorSpec.table("table", ROWS, 1).updates(Updates.SUM);
            TensorId table = Tensors.init(cluster.worker(0), spec);
            LongArray key = LongArray.of(ROWS - 1);
            LongArray none = LongArray.of(-1);
            Pending<PushSyncEmbedding.Response> zero = PushSyncEmbeddingPsf.stub(cluster.worker(0))
                    .call(table, key, FloatArray.of(10), IntArray.of(1), key, none, 0);
            SyncEmbedding.Response between = SyncEmbeddingPsf.stub(cluster.worker(1))
                    .call(table, key, none, 0)
                    .await();
            assertThat(between).isEqualTo(new SyncEmbedding.Response(key, LongArray.of(0), FloatArray.of(0)));
            assertThat(zero.isDone()).isFalse();
            Pending<PushEmbedding.Response> one =
                    PushEmbeddingPsf.stub(cluster.worker(1)).call(table, key, FloatArray.of(100), IntArray.of(2));
            assertThat(zero.await().values()).isEqualTo(FloatArray.of(110));
            one.await();
            assertThat(SyncEmbeddingPsf.stub(cluster.worker(1))
                            .call(table, key, none, 0)
                            .await())
                    .isEqualTo(new SyncEmbedding.Response(key, LongArray.of(3), FloatArray.of(110)));
        }
    }
}
