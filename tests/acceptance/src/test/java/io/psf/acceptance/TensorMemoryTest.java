package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limit on the memory of a server's tensors. */
@Timeout(60)
final class TensorMemoryTest {
    private static final long LIMIT = 8 << 20;

    private PsCluster cluster;
    private Worker worker;

    @BeforeEach
    void start() {
        cluster = PsCluster.builder().servers(1).tensorMemory(LIMIT).start();
        worker = cluster.worker();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static void assertExhausted(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class,
                        failure -> assertThat(failure.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED))
                .hasMessageContaining("the free part of " + LIMIT)
                .hasMessageContaining("the limit for the tensors of this server: PSF_TENSOR_MEMORY")
                .hasMessageContainingAll(parts);
    }

    @Test
    void theSlicesOfATensorAreCountedTogetherBeforeOneIsMade() {
        TensorSpec large = TensorSpec.dense("large", 4_000_000).slices(4); // 4 MB each
        assertExhausted(
                () -> Tensors.init(worker, large),
                "memory for tensor \"large\", 4 slices here: 16000000 bytes (expected: at most " + LIMIT);
        assertThat(Tensors.list(worker)).isEmpty();
        TensorId half = Tensors.init(worker, TensorSpec.dense("half", 1_200_000).slices(3));
        assertExhausted(
                () -> Tensors.init(worker, TensorSpec.dense("other", 1_200_000)),
                "4800000 bytes (expected: at most " + (LIMIT - 4_800_000));
        float[] ones = new float[1_200_000];
        Arrays.fill(ones, 1);
        Tensors.push(worker, half, ones).await();
        assertThat(Tensors.pull(worker, half)).containsOnly(1);
    }

    @Test
    void theMemoryOfAClearedTensorIsFreeAgain() {
        for (int i = 0; i < 3; i++) {
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1_500_000));
            assertThat(Tensors.pull(worker, w)).hasSize(1_500_000).containsOnly(0);
            Tensors.clear(worker, w);
        }
    }

    /** Before that, the memory is neither free nor does a collection free it, and the next tensor would be refused. */
    @Test
    void aTensorIsClearedWhenItsLanesHaveGivenTheMemoryUp() throws Exception {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1_500_000).slices(1));
        Pending<?> occupied = OccupyPsf.stub(worker).call(w);
        Occupy.BEGUN.await();
        Pending<?> cleared = ClearPsf.stub(worker).call(w);
        while (!Tensors.list(worker).isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(cleared.isDone()).as("while the lane is occupied").isFalse();
        Occupy.END.countDown();
        cleared.await();
        occupied.await();
        worker.forget(w);
        Tensors.init(worker, TensorSpec.dense("next", 1_500_000));
    }

    @Test
    void growthBeyondTheLimitIsAnErrorOfThatPushAndTheServerGoesOn() {
        TensorId table = Tensors.init(worker, TensorSpec.growing("table", 64));
        long[] some = LongStream.range(0, 1000).toArray();
        float[] ones = new float[1000 * 64];
        Arrays.fill(ones, 1);
        Tensors.pushRows(worker, table, some, ones).await();
        long[] many = LongStream.range(1000, 101_000).toArray(); // 25.6 MB
        assertExhausted(
                () -> Tensors.pushRows(worker, table, many, new float[many.length * 64])
                        .await(),
                "memory for table.0.");
        Tensors.pushRows(worker, table, some, ones).await();
        float[] values = new float[1000 * 64];
        Tensors.pullRows(worker, table, some, values).await();
        assertThat(values).containsOnly(2);
    }

    /** They are in the heap. */
    @Test
    void sketchesOfPoliciesAndVersionsOfCachesCount() {
        TablePolicy policy = TablePolicy.keepAll().admitAfter(2, 2 * LIMIT);
        assertExhausted(
                () -> Tensors.init(worker, TensorSpec.growing("sketched", 1).policy(policy)),
                "memory for sketched.0.attachments: " + 2 * LIMIT + " bytes (expected");

        int rows = 700_000;
        TensorId table = Tensors.init(worker, TensorSpec.table("versioned", rows, 1));
        assertExhausted(
                () -> PushEmbeddingPsf.stub(worker)
                        .call(table, LongArray.of(3), FloatArray.of(1), IntArray.of(1))
                        .await(),
                "memory for versioned.0.attachments: " + 8 * rows + " bytes (expected");
        assertThat(Tensors.pull(worker, table)).containsOnly(0);
        Tensors.clear(worker, table);
        TensorId smaller = Tensors.init(worker, TensorSpec.table("smaller", rows / 2, 1));
        PushEmbeddingPsf.stub(worker)
                .call(smaller, LongArray.of(3), FloatArray.of(1), IntArray.of(1))
                .await();
        Tensors.clear(worker, smaller);
        assertThat(Tensors.pull(worker, Tensors.init(worker, TensorSpec.dense("w", 1_500_000))))
                .containsOnly(0);
    }

    @Test
    void theStateOfAnOptimizerCounts() {
        TensorId w =
                Tensors.init(worker, TensorSpec.dense("w", 800_000).slices(1).optimizer(Optimizers.adam(0.1)));
        assertExhausted(
                () -> Tensors.push(worker, w, new float[800_000]).await(),
                "memory for w.0.",
                "3200000 bytes (expected");
        assertThat(Tensors.pull(worker, w)).containsOnly(0);
    }
}
