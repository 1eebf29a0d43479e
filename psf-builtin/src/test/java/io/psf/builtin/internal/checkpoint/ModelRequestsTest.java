package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.states.StatePart;
import io.psf.builtin.internal.states.StoreStatesPsf;
import io.psf.builtin.internal.training.JoinModelPsf;
import io.psf.builtin.sparse.FetchRangePsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that no facade makes, and that are refused in words. */
@Timeout(60)
final class ModelRequestsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path directory;

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).hasMessageContaining("BAD_REQUEST: " + message);
    }

    @Test
    void namesOfModelsArePathsBelowTheDirectory() {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            String refusal = "name of model: \"../x\" (expected: a name below the server's directory";
            ModelOptions options = new ModelOptions(1, 0, List.of(), List.of(), false, false);
            assertRefused(
                    () -> JoinModelPsf.stub(worker)
                            .call(0, "../x", "save", List.of())
                            .await(),
                    refusal);
            String path = "checkpoint: \"../x\" (expected: a name below the server's directory";
            assertRefused(
                    () -> SaveModelPsf.stub(worker)
                            .call(0, "../x", 1, options, List.of(), 0)
                            .await(),
                    path);
            assertRefused(() -> DeleteModelPsf.stub(worker).call(0, "../x").await(), path);
        }
    }

    @Test
    void requestsOfOtherShapesAreRefused() {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.table("w", 40, 2).optimizer(Optimizers.adam(0.1)));
            TensorId grows = Tensors.init(worker, TensorSpec.growing("g", 2).optimizer(Optimizers.adam(0.1)));

            LongArray first = LongArray.of(3);
            assertRefused(
                    () -> FetchRangePsf.stub(worker).call(w, first, 0).await(),
                    "rows of tensor \"w\" [40, 2]: at most 0 from each of 1 (expected: at least 1,");
            assertRefused(
                    () -> FetchRangePsf.stub(worker).call(grows, first, 1).await(), "rows of tensor \"g\" [growing");

            String server = "called by a worker or a client (expected: by a server)";
            assertRefused(
                    () -> FreezeModelPsf.stub(worker)
                            .call("c", 0, 1, -1, 0, 0, List.of())
                            .await(),
                    "copy of a model: " + server);
            assertRefused(
                    () -> ReadModelPsf.stub(worker)
                            .call("c", 0, 1, List.of(), false, LoadScope.MODEL)
                            .await(),
                    "load of shards: " + server);

            String adam = "psf.adam";
            float[] values = new float[4];
            assertRefused(
                    () -> StoreStatesPsf.stub(worker)
                            .call(w, List.of(new StatePart(19, adam, "m", 2, values)), 1)
                            .await(),
                    "rows from 19 of the states of tensor \"w\": 2 (expected: rows of [0, 20)");
            assertRefused(
                    () -> StoreStatesPsf.stub(worker)
                            .call(w, List.of(new StatePart(1, adam, "m", 3, values)), 1)
                            .await(),
                    "values of the states of tensor \"w\": 4 (expected: rows of a slot of width 3)");
            assertRefused(
                    () -> StoreStatesPsf.stub(worker).call(w, List.of(), -1).await(), "steps of the states");
        }
    }
}
