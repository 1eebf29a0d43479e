package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.AllReduce;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.builtin.internal.allreduce.ClearReductionPsf;
import io.psf.builtin.internal.allreduce.Operation;
import io.psf.builtin.internal.allreduce.ReduceValuesPsf;
import io.psf.examples.axpy.AxpyPsf;
import io.psf.interchange.Npy;
import io.psf.interchange.Safetensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory of a function is no tensor of the model. */
@Timeout(120)
final class FunctionMemoryTest {
    private static final TensorSpec SPEC = TensorSpec.dense("sums", 40);
    private static final TensorId MEMORY = SPEC.tensor().id();

    @TempDir
    private Path files;

    private static void assertRefused(String function, ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST))
                .hasMessageContaining(
                        "tensor \"sums\": the memory of function \"psf.allreduce\" (expected: a tensor of the"
                                + " model as the argument of \""
                                + function + "\")");
    }

    @Test
    void onlyTheFunctionUsesItsMemory() {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(1).checkpoints(files).start()) {
            Worker worker = cluster.worker();
            AllReduce reduce = AllReduce.of(worker, "sums", 40);
            float[] values = new float[40];
            assertRefused("psf.dense.pull", () -> Tensors.pull(worker, MEMORY));
            assertRefused(
                    "psf.dense.push", () -> Tensors.push(worker, MEMORY, values).await());
            assertRefused(
                    "psf.sparse.pull",
                    () -> Tensors.pullRows(worker, MEMORY, new long[] {1}, new float[1])
                            .await());
            assertRefused(
                    "psf.sparse.push",
                    () -> Tensors.pushRows(worker, MEMORY, new long[] {1}, new float[1])
                            .await());
            assertRefused("psf.optimizer.set", () -> Tensors.setOptimizer(worker, MEMORY, Optimizers.sgd(1)));
            assertRefused("psf.optimizer.rate", () -> Tensors.setLearningRate(worker, MEMORY, 1));
            assertRefused("psf.model.freeze", () -> Tensors.save(worker, MEMORY, "one"));
            assertRefused("psf.rounds", () -> Tensors.rounds(worker, MEMORY));
            assertRefused("psf.push.end", () -> Tensors.endPushes(worker, MEMORY));
            assertRefused("psf.sparse.fetch.range", () -> Npy.save(worker, MEMORY, files.resolve("n")));
            assertRefused("psf.sparse.fetch.range", () -> Safetensors.save(worker, files.resolve("s"), MEMORY));
            assertRefused("psf.clear", () -> Tensors.clear(worker, MEMORY));
            assertRefused(
                    "acme.axpy",
                    () -> AxpyPsf.stub(worker)
                            .call(MEMORY, 1, FloatArray.wrap(values))
                            .await());
            assertThatThrownBy(() -> Tensors.init(worker, SPEC))
                    .hasMessageContainingAll("ALREADY_EXISTS", "\"sums\"", "memory of psf.allreduce");
            values[7] = 3;
            reduce.sum(values).await();
            assertThat(values[7]).as("it still works").isEqualTo(3);
        }
    }

    @Test
    void itIsNeitherListedNorSavedWithTheModel() {
        TensorSpec w = TensorSpec.dense("w", 10).updates(Updates.SUM);
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(1).checkpoints(files).start()) {
            Worker worker = cluster.worker();
            var unused = Weights.reduced(worker, w);
            float[] sum = new float[40];
            AllReduce.of(worker, "sums", 40).sum(sum).await();
            assertThat(Tensors.list(worker))
                    .extracting(each -> each.tensor().id().name())
                    .containsExactly("w");
            Safetensors.save(worker, files.resolve("all"));
            assertThat(Safetensors.list(files.resolve("all")))
                    .extracting(each -> each.name())
                    .isEqualTo(List.of("w"));
            ModelCheckpoints.at(worker, "model").save(1, Map.of());
            assertThat(ModelCheckpoints.at(worker, "model").list().get(0).tensors())
                    .extracting(each -> each.id().name())
                    .containsExactly("w");
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(1).workers(1).checkpoints(files).start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, w); // and no all-reduce
            assertThat(ModelCheckpoints.at(worker, "model").loadLatest()).isPresent();
        }
    }

    @Test
    void aTensorOfTheModelIsNoMemory() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, SPEC);
            Tensors.push(worker, MEMORY, ones()).await();
            assertThatThrownBy(() -> AllReduce.of(worker, "sums", 40)).hasMessageContaining("ALREADY_EXISTS");
            assertThatThrownBy(() -> ReduceValuesPsf.stub(worker)
                            .call(MEMORY, Operation.SUM, 0, FloatArray.wrap(new float[40]))
                            .await())
                    .hasMessageContaining(
                            "tensor \"sums\": a tensor of the model (expected: the memory of an all-reduce)");
            assertThatThrownBy(() -> ClearReductionPsf.stub(worker).call(MEMORY).await())
                    .hasMessageContaining("a tensor of the model");
            assertThat(Tensors.pull(worker, MEMORY)).containsOnly(1);
        }
    }

    @Test
    void aClearedAllReduceFreesItsName() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            AllReduce reduce = AllReduce.of(worker, "sums", 40);
            reduce.sum(ones()).await();
            reduce.clear();
            assertThatThrownBy(() -> reduce.sum(ones()).await()).hasMessageContaining("UNKNOWN_TENSOR");
            Tensors.init(worker, SPEC);
            assertThat(Tensors.pull(worker, MEMORY)).containsOnly(0);
        }
    }

    private static float[] ones() {
        float[] ones = new float[40];
        Arrays.fill(ones, 1);
        return ones;
    }
}
