package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.interchange.Npy;
import io.psf.interchange.Safetensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The servers' copy of reduced weights is a tensor of the model, and no push of gradients changes it. */
@Timeout(120)
final class ReducedWeightsTest {
    private static final TensorSpec SPEC = TensorSpec.dense("dense", 40, 3)
            .initializer(Initializers.normal(0, 1, 7))
            .optimizer(Optimizers.adam(0.1))
            .updates(Updates.SUM);

    @TempDir
    private Path files;

    private static float[] of(Weights weights) {
        float[] values = new float[120];
        weights.pull(values).await();
        return values;
    }

    private static float[] gradient(int seed) {
        float[] values = new float[120];
        for (int i = 0; i < values.length; i++) {
            values[i] = seed + i;
        }
        return values;
    }

    private static Weights trained(Worker worker) {
        Weights weights = Weights.reduced(worker, SPEC);
        weights.push(gradient(worker.rank())).await();
        return weights;
    }

    /** Pushes once more, so that the all-reduce has combined gradients since the weights were stored. */
    private static float[] stored(Worker worker, Weights weights) {
        float[] then = of(weights);
        worker.barrier();
        if (worker.rank() == 0) {
            weights.store();
        }
        worker.barrier();
        weights.push(gradient(5)).await();
        worker.barrier();
        return then;
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP", "SHARED_MEMORY"})
    void aPushAfterAStoreLeavesTheStoredWeights(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                Weights weights = trained(worker);
                float[] then = stored(worker, weights);
                float[] later = of(weights);
                assertThat(later).isNotEqualTo(then);
                weights.restore();
                assertThat(of(weights)).isEqualTo(then);
                worker.barrier();
                weights.push(gradient(5)).await();
                assertThat(of(weights)).as("with the stored optimizer state").isEqualTo(later);
            });
        }
    }

    /** Worker 0 pushes while worker 1 has not restored yet. */
    @Test
    void workersRestoreWithoutWaitingForEachOther() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            CountDownLatch pushed = new CountDownLatch(1);
            onEachWorker(cluster, worker -> {
                Weights weights = trained(worker);
                float[] then = stored(worker, weights);
                float[] later = of(weights);
                if (worker.rank() == 1) {
                    assertThat(pushed.await(60, TimeUnit.SECONDS)).isTrue();
                }
                weights.restore();
                assertThat(of(weights)).isEqualTo(then);
                Pending<?> push = weights.push(gradient(5));
                pushed.countDown();
                push.await();
                assertThat(of(weights)).isEqualTo(later);
            });
        }
    }

    @Test
    void exportsHaveTheStoredWeightsAndAnImportIsRestored() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            onEachWorker(cluster, worker -> {
                Weights weights = trained(worker);
                float[] then = stored(worker, weights);
                TensorId tensor = weights.tensor();
                assertThat(Tensors.pull(worker, tensor)).isEqualTo(then);
                if (worker.rank() == 0) {
                    Npy.save(worker, tensor, files.resolve("w.npy"));
                    Safetensors.save(worker, files.resolve("all"));
                    assertThat(Safetensors.list(files.resolve("all")))
                            .as("tensors of the model")
                            .extracting(each -> each.name())
                            .isEqualTo(List.of("dense"));
                    Tensors.init(worker, SPEC.named("other").updates(Updates.EACH));
                    Npy.load(worker, TensorId.of("other"), files.resolve("w.npy"));
                    assertThat(Tensors.pull(worker, TensorId.of("other"))).isEqualTo(then);
                    Npy.save(worker, imported(worker), files.resolve("w.npy"));
                    Npy.load(worker, tensor, files.resolve("w.npy"));
                }
                worker.barrier();
                weights.restore();
                assertThat(of(weights)).as("as imported").containsOnly(4);
            });
        }
        assertThat(files.resolve("all")).isNotEmptyFile();
    }

    private static TensorId imported(Worker worker) {
        return Tensors.init(worker, TensorSpec.dense("imported", 40, 3).initializer(Initializers.constant(4)));
    }

    @Test
    void weightsThatWereNotStoredAreTheInitialValuesOnTheServers() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            Weights weights = Weights.reduced(worker, SPEC);
            float[] first = of(weights);
            assertThat(Tensors.pull(worker, weights.tensor())).isEqualTo(first);
            weights.push(gradient(3)).await();
            assertThat(Arrays.equals(of(weights), first)).isFalse();
            weights.restore();
            assertThat(of(weights)).isEqualTo(first);
        }
    }
}
