package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Pooling;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bags of keys over each transport, compared with the rows that are pulled one by one. */
@Timeout(120)
final class BagsTest {
    private static final int BAGS = 500;
    private static final int WIDTH = 24;

    private static TensorSpec spec(TensorSpec of) {
        return of.initializer(Initializers.uniform(0.5, 1, 7)).optimizer(Optimizers.add(1));
    }

    private static double error(FloatType wire) {
        return switch (wire) {
            case FLOAT32 -> 1e-6;
            case FLOAT16 -> 0x1p-11;
            case BFLOAT16 -> 0x1p-8;
            case INT8 -> 1 / 250.0;
        };
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void bagsArePooledOnTheServers(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            for (FloatType wire : FloatType.values()) {
                TensorSpec fixed = TensorSpec.table("fixed " + wire, 5_000, WIDTH);
                TensorSpec growing = TensorSpec.growing("growing " + wire, WIDTH);
                Clusters.onEachWorker(cluster, worker -> {
                    requirePooled(worker, Tensors.init(worker, spec(fixed).wire(wire)), wire);
                    requirePooled(worker, Tensors.init(worker, spec(growing).wire(wire)), wire);
                });
            }
        }
    }

    private static void requirePooled(Worker worker, TensorId tensor, FloatType wire) {
        Random random = new Random(worker.rank());
        int[] counts = random.ints(BAGS, 0, 20).toArray();
        long[] keys = random.longs(Arrays.stream(counts).sum(), 0, 5_000).toArray();
        float[] rows = new float[keys.length * WIDTH];
        Tensors.pullRows(worker, tensor, keys, rows).await();
        for (Pooling pooling : Pooling.values()) {
            float[] pooled = new float[BAGS * WIDTH];
            Arrays.fill(pooled, Float.NaN);
            Tensors.pullBags(worker, tensor, keys, counts, pooling, pooled).await();
            for (int bag = 0, first = 0; bag < BAGS; first += counts[bag++]) {
                for (int c = 0; c < WIDTH; c++) {
                    double sum = 0;
                    for (int i = first; i < first + counts[bag]; i++) {
                        sum += rows[i * WIDTH + c];
                    }
                    double expected = pooling == Pooling.MEAN && counts[bag] > 0 ? sum / counts[bag] : sum;
                    double bound = 4 * error(wire) * expected; // the rows are rounded, and the sums
                    assertThat((double) pooled[bag * WIDTH + c])
                            .as("bag %s", bag)
                            .isCloseTo(expected, within(bound));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"TCP", "SHARED_MEMORY"})
    void anUpdateOfBagsReachesTheRowsOfTheirKeys(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("w", 2).optimizer(Optimizers.add(1)));
            long[] keys = {-7, 1L << 40, -7, 3};
            Tensors.pushBags(worker, table, keys, new int[] {3, 0, 1}, Pooling.MEAN, new float[] {3, 6, 9, 9, 1, 2})
                    .await();
            float[] rows = new float[8];
            Tensors.pullRows(worker, table, keys, rows).await();
            assertThat(rows).containsExactly(2, 4, 1, 2, 2, 4, 1, 2);
        }
    }
}
