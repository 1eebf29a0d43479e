package io.psf.builtin.push;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Step;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A step of one shard that needs sums over all slices. Used on the shard's lane. */
final class SlicedStep {
    private final Shard shard;
    private final Step step;
    private final Id id;
    private final List<Caller> callers;
    private int stage;

    /**
     * The step among those of the tensor: the same on all slices.
     *
     * @param worker the rank of the worker that pushes; {@link #ROUND} for a round
     * @param push the number of the push of that worker, or of the round
     */
    record Id(int worker, long push) {
        static final int ROUND = -1;
    }

    /**
     * Creates a step.
     *
     * @param callers the callers of the pushes that the step belongs to: if the first of them is cancelled, the next one
     *     asks for the sums
     */
    SlicedStep(Shard shard, Step step, Id id, List<Caller> callers) {
        this.shard = shard;
        this.step = step;
        this.id = id;
        this.callers = callers;
    }

    /** Collects the sums, then changes the shard. The stage ends on the lane. */
    CompletionStage<Void> run() {
        if (!step.needsSums()) {
            step.apply();
            return CompletableFuture.completedFuture(null);
        }
        return totals(step.sums(), 0).thenCompose(answer -> {
            step.take(answer.totals().toArray());
            stage++;
            return run();
        });
    }

    private CompletionStage<SumOverSlices.Response> totals(double[] part, int caller) {
        if (callers.isEmpty()) {
            return CompletableFuture.failedFuture(new PsException(
                    PsException.Code.UNAVAILABLE,
                    "optimizer of tensor \"" + shard.spec().id()
                            + "\": replaced during a round (expected: between rounds; push again)"));
        }
        CompletableFuture<SumOverSlices.Response> answer = SumOverSlicesPsf.stub(callers.get(caller))
                .call(
                        shard.spec().id(),
                        LongArray.of(0),
                        id.worker(),
                        id.push(),
                        stage,
                        shard.slice(),
                        SliceCount.of(shard),
                        part)
                .toCompletableFuture();
        return caller + 1 == callers.size() ? answer : answer.exceptionallyCompose(e -> totals(part, caller + 1));
    }
}
