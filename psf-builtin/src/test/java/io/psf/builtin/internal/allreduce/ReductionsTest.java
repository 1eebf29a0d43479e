package io.psf.builtin.internal.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.TestShard;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReductionsTest {
    private final TestShard shard =
            TestShard.whole(2, 1, new TiledOptimizer("assign", new Assign())).workers(0, 1, 2);

    {
        Reductions.attach(shard);
    }

    private CompletableFuture<ReduceValues.Response> call(
            int worker, Operation operation, long number, float... values) {
        return new ReduceValues() {}.handle(
                        new ReduceValues.Request(TensorId.of("w"), operation, number, FloatArray.wrap(values)),
                        shard.from(worker))
                .toCompletableFuture();
    }

    /** Returns the result as text, as it is when it is answered. */
    private CompletableFuture<String> reduce(int worker, Operation operation, long number, float... values) {
        return call(worker, operation, number, values)
                .thenApply(response -> Arrays.toString(response.values().toArray()))
                .toCompletableFuture();
    }

    @Test
    void valuesAreAddedInTheOrderOfRanks() {
        CompletableFuture<String> two = reduce(2, Operation.SUM, 0, 1e8f, 3);
        CompletableFuture<String> one = reduce(1, Operation.SUM, 0, 1, 2);
        assertThat(two).isNotDone();
        assertThat(reduce(0, Operation.SUM, 0, -1e8f, 1)).isCompletedWithValue("[0.0, 6.0]"); // (-1e8 + 1) + 1e8 = 0
        assertThat(one).isCompletedWithValue("[0.0, 6.0]");
        assertThat(two).isDone();
    }

    @Test
    void theMeanAndTheMaximumAreThoseOfTheWorkersThatHaveCalled() {
        reduce(0, Operation.MEAN, 0, 1, 2);
        CompletableFuture<String> one = reduce(1, Operation.MEAN, 0, 2, 6);
        shard.workers(0, 1);
        assertThat(one).isCompletedWithValue("[1.5, 4.0]");
        reduce(1, Operation.MAX, 1, Float.NaN, -6);
        assertThat(reduce(0, Operation.MAX, 1, 1, -7)).isCompletedWithValue("[NaN, -6.0]");
        assertThat(Reductions.require(shard).next(1)).isEqualTo(2);
    }

    @Test
    void theMeanIsTheSumDividedByTheNumberOfWorkers() {
        assertThat(5f / 3).as("another value than by the inverse").isNotEqualTo(5 * (1f / 3));
        reduce(2, Operation.MEAN, 0, 1, 0.4f);
        reduce(0, Operation.MEAN, 0, 2, 0.1f);
        assertThat(reduce(1, Operation.MEAN, 0, 2, 0.2f))
                .isCompletedWithValue(Arrays.toString(new float[] {5f / 3, (0.1f + 0.2f + 0.4f) / 3}));
    }

    @Test
    void callsThatDoNotBelongTogetherAreNotCombined() {
        CompletableFuture<String> zero = reduce(0, Operation.SUM, 0, 1, 2);
        assertThatThrownBy(() -> reduce(1, Operation.MAX, 0, 1, 2)).hasMessageContaining("operation: MAX");
        assertThatThrownBy(() -> reduce(0, Operation.SUM, 0, 1, 2)).hasMessageContaining("second call of worker 0");
        assertThatThrownBy(() -> reduce(1, Operation.SUM, 0, 1)).hasMessageContaining("update length: 1");
        CompletableFuture<String> one = reduce(1, Operation.SUM, 1, 5, 5);
        assertThat(zero).isCompletedExceptionally();
        assertThatThrownBy(() -> reduce(2, Operation.SUM, 0, 1, 2))
                .hasMessageContaining("number of the all-reduce: 0 (expected: at least 1");
        reduce(2, Operation.SUM, 1, 1, 2);
        assertThat(reduce(0, Operation.SUM, 1, 1, 2)).isCompletedWithValue("[7.0, 9.0]");
        assertThat(one).isCompletedWithValue("[7.0, 9.0]");
    }

    @Test
    void theValuesOfACallThatHasTimedOutAreInNoResult() {
        CompletableFuture<String> one = reduce(1, Operation.SUM, 0, 1, 1);
        call(0, Operation.SUM, 0, 1, 1).completeExceptionally(new PsException(PsException.Code.TIMED_OUT, "test"));
        assertThat(one).isCompletedExceptionally();
        assertThatThrownBy(one::join).hasMessageContaining("all-reduce 0: the call of worker 0 has timed out");
        CompletableFuture<String> again = reduce(0, Operation.SUM, 1, 1, 1);
        CompletableFuture<String> oneAgain = reduce(1, Operation.SUM, 1, 1, 1);
        assertThatThrownBy(() -> reduce(2, Operation.SUM, 0, 1, 1).join())
                .hasMessageContaining("all-reduce 0: the call of worker 0 has timed out");
        assertThat(reduce(2, Operation.SUM, 1, 1, 1)).isCompletedWithValue("[3.0, 3.0]");
        assertThat(again).isDone();
        assertThat(oneAgain).isDone();
    }

    @Test
    void allReducesDoNotWaitForAWorkerThatHasEndedTheEpoch() {
        Reductions reductions = Reductions.require(shard);
        reduce(0, Operation.SUM, 0, 1, 1);
        reduce(2, Operation.SUM, 0, 1, 1);
        reduce(1, Operation.SUM, 0, 1, 1);
        CompletableFuture<String> waiting = reduce(0, Operation.MEAN, 1, 1, 3);
        reduce(2, Operation.MEAN, 1, 3, 5);
        reductions.pause(1);
        assertThat(waiting).isCompletedWithValue("[2.0, 4.0]");
        reductions.pause(2);
        assertThat(reduce(0, Operation.SUM, 2, 7, 7)).isCompletedWithValue("[7.0, 7.0]");
        reductions.pause(0);
        reductions.resume(Set.of(0, 1, 2));
        reduce(1, Operation.SUM, 1, 1, 1); // the numbers of each are its own
        reduce(2, Operation.SUM, 2, 1, 1);
        assertThat(reduce(0, Operation.SUM, 3, 1, 1)).isCompletedWithValue("[3.0, 3.0]");
    }

    @Test
    void noTensorOfTheModelIsReducedInto() {
        TestShard other = TestShard.whole(2, 1, new TiledOptimizer("assign", new Assign()));
        ReduceValues.Request request =
                new ReduceValues.Request(TensorId.of("w"), Operation.SUM, 0, FloatArray.of(1, 2));
        assertThatThrownBy(() -> new ReduceValues() {}.handle(request, other))
                .hasMessage("BAD_REQUEST: tensor \"w\": a tensor of the model (expected: the memory of an all-reduce)");
    }

    @Test
    void aWorkerOpensAFewReductionsAtMost() {
        for (int number = 0; number < 4; number++) {
            assertThat(reduce(0, Operation.SUM, number, 1, 2)).isNotDone();
        }
        assertThatThrownBy(() -> reduce(0, Operation.SUM, 4, 1, 2)).hasMessageContaining("RESOURCE_EXHAUSTED");
    }
}
