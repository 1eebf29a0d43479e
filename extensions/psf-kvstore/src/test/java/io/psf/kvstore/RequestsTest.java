package io.psf.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests the verbs send. */
@Timeout(60)
final class RequestsTest {
    private static final int ROWS = 1 << 14;
    private static final int WIDTH = 64;

    /** Counts the requests of a worker, without its heartbeats. */
    private static final class Sent implements CallListener {
        private final Map<String, Integer> counts = new ConcurrentHashMap<>();

        @Override
        public void sent(CallPart part, long bytes) {
            if (!part.function().equals("psf.cluster.beat")) {
                counts.merge(part.function(), 1, Integer::sum);
            }
        }

        int all() {
            return counts.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    @Test
    void aPushOfARowIsOneRequestUnlessEachSliceCountsPushes() {
        try (PsCluster cluster = PsCluster.builder().servers(2).start();
                KVStore store = KVStore.create(cluster.worker(), "dist_async")) {
            Worker worker = cluster.worker();
            store.init("w", new float[ROWS * WIDTH], ROWS, WIDTH);
            store.setOptimizer(Optimizers.sgd(1));
            int slices = worker.layout(store.tensor("w")).slices();
            assertThat(slices).isGreaterThan(10);
            float[] ones = new float[2 * WIDTH];
            Arrays.fill(ones, 1);

            Sent sent = new Sent();
            worker.listen(sent);
            store.push("w", new long[] {3, 3}, ones).await();
            assertThat(sent.counts).isEqualTo(Map.of("psf.kv.push.rows", 1));
            float[] values = new float[WIDTH];
            store.rowSparsePull("w", new long[] {3}, values).await();
            assertThat(values).containsOnly(-2);

            store.setOptimizer(Optimizers.sgd(1).clipNorm(1000)); // sums over all rows of a push
            sent.counts.clear();
            store.push("w", new long[] {3, 3}, ones).await();
            assertThat(sent.counts).isEqualTo(Map.of("psf.sparse.push", slices));
            assertThatThrownBy(() -> PushRowsPsf.stub(worker)
                            .call(store.tensor("w"), LongArray.of(3), FloatArray.wrap(new float[WIDTH]))
                            .await())
                    .hasMessageContaining("BAD_REQUEST: push of rows to tensor \"w\"");
            assertThat(Tensors.pull(worker, store.tensor("w"))).isNotNull();
        }
    }

    @Test
    void keysAreInitializedTogether() {
        int keys = 300;
        try (PsCluster cluster = PsCluster.builder().servers(2).start();
                KVStore store = KVStore.create(cluster.worker(), "dist_sync")) {
            Sent sent = new Sent();
            cluster.worker().listen(sent);
            store.init("k0", new float[] {7});
            List<float[]> values =
                    IntStream.range(0, keys).mapToObj(i -> new float[] {i}).toList();
            List<String> names = IntStream.range(0, keys).mapToObj(i -> "k" + i).toList();
            List<int[]> shapes =
                    IntStream.range(0, keys).mapToObj(i -> new int[0]).toList();
            sent.counts.clear();
            store.init(names, values, shapes);
            // the values of each key, the barrier, the names, their declarations, and the shards of each server
            assertThat(sent.all()).as("%s", sent.counts).isLessThanOrEqualTo(keys + 10);
            float[] first = new float[1];
            store.pull("k0", first).await();
            assertThat(first).as("initialized before").containsExactly(7);
            store.pull("k299", first).await();
            assertThat(first).containsExactly(299);
        }
    }
}
