package io.psf.builtin.push;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Step;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A step of an optimizer on one shard that needs sums over all slices of the tensor, such as the norm of the gradient. Sends
 * this slice's part of the sums to the slice of key 0, waits for the totals, and then changes the shard. Used on the
 * shard's lane.
 */
final class SlicedStep {
    private final Shard shard;
    private final Step step;
    private final Id id;
    private final List<Caller> callers;
    private int stage;

    /**
     * Identifies a step among those of the tensor. All slices give a step the same id.
     *
     * @param worker the worker or client whose push causes the step, as {@link io.psf.api.CallInfo#worker} has it; {@link #ROUND} if a round causes it
     * @param push the number of that push among the worker's, or the number of the round
     */
    record Id(int worker, long push) {
        static final int ROUND = -1;
    }

    /**
     * Creates a step.
     *
     * @param callers the callers of the pushes that cause the step. The first one calls for the sums; if its push is
     *     cancelled, the next one does
     */
    SlicedStep(Shard shard, Step step, Id id, List<Caller> callers) {
        this.shard = shard;
        this.step = step;
        this.id = id;
        this.callers = callers;
    }

    /** Collects the sums, then changes the shard. The returned stage is completed on the lane. */
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
                            + "\": replaced during a round (expected: replaced between two rounds; push again)"));
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
