package io.psf.builtin.push;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.GlobalNorm;
import io.psf.builtin.optimizer.Step;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A step of an optimizer on one shard that needs sums over all slices of the tensor, such as the norm of the gradient.
 * Sends this slice's part of the sums to the slice of key 0, of the tensor or of the first tensor of a global norm,
 * waits for the totals, and then changes the shard. Used on the shard's lane.
 */
final class SlicedStep {
    /** The stage of the check of a push, before the stages of its step. */
    private static final int CHECK = -1;

    private final Shard shard;
    private final Id id;
    private final List<Caller> callers;
    /** Identifies this step of the slice among all of them. */
    private final long number = ThreadLocalRandom.current().nextLong();

    private int stage;

    /**
     * Identifies a step among the steps of the tensor. All slices give a step the same id.
     *
     * @param worker the worker or client whose push causes the step, as {@link io.psf.api.CallInfo#worker} has it;
     *     {@link #ROUND} if a round causes it
     * @param push the number of that push among the worker's, or the number of the round
     */
    record Id(int worker, long push) {
        static final int ROUND = -1;
    }

    /** Asks for sums, on behalf of a caller. */
    private interface Sums {
        CompletableFuture<double[]> ask(Caller caller);
    }

    /**
     * Creates a step.
     *
     * @param callers the callers of the pushes that cause the step. The first one calls for the sums; if its push is
     *     cancelled, the next one does
     */
    SlicedStep(Shard shard, Id id, List<Caller> callers) {
        this.shard = shard;
        this.id = id;
        this.callers = callers;
    }

    /** Collects the sums, then changes the shard. The returned stage is completed on the lane. */
    CompletionStage<Void> run(Step step) {
        if (!step.needsSums()) {
            step.apply();
            return CompletableFuture.completedFuture(null);
        }
        GlobalNorm norm = step.globalNorm();
        double[] part = step.sums();
        Sums sums = norm == null
                ? caller -> sums(shard, id, caller, stage, part)
                : caller -> overTensors(norm, caller, part[0]);
        return totals(sums, 0).thenCompose(totals -> {
            step.take(totals);
            stage++;
            return run(step);
        });
    }

    /** Takes part in the global norm without a gradient. Changes nothing. */
    CompletionStage<Void> pass() {
        GlobalNorm norm = Objects.requireNonNull(
                Objects.requireNonNull(TiledOptimizer.of(shard)).globalNorm());
        return totals(caller -> overTensors(norm, caller, 0), 0).thenApply(totals -> null);
    }

    /**
     * Returns the number of slices on which a push has an element that is not finite. The returned stage is completed
     * on the lane.
     *
     * @param isFinite false if it has one on this slice
     */
    static CompletionStage<Double> notFinite(Shard shard, Id id, Caller caller, boolean isFinite) {
        double[] part = {isFinite ? 0 : 1};
        return sums(shard, id, caller, CHECK, part).thenApply(totals -> totals[0]);
    }

    private CompletionStage<double[]> totals(Sums sums, int caller) {
        if (callers.isEmpty()) {
            return CompletableFuture.failedFuture(new PsException(
                    PsException.Code.UNAVAILABLE,
                    "optimizer of tensor \"" + shard.spec().id()
                            + "\": replaced during a round (expected: replaced between two rounds; push again)"));
        }
        CompletableFuture<double[]> answer = sums.ask(callers.get(caller));
        return caller + 1 == callers.size() ? answer : answer.exceptionallyCompose(e -> totals(sums, caller + 1));
    }

    private static CompletableFuture<double[]> sums(Shard shard, Id id, Caller caller, int stage, double[] part) {
        return SumOverSlicesPsf.stub(caller)
                .call(
                        shard.spec().id(),
                        LongArray.of(0),
                        id.worker(),
                        id.push(),
                        stage,
                        shard.slice(),
                        SliceCount.of(shard),
                        part)
                .toCompletableFuture()
                .thenApply(answer -> answer.totals().toArray());
    }

    private CompletableFuture<double[]> overTensors(GlobalNorm norm, Caller caller, double part) {
        return SumOverTensorsPsf.stub(caller)
                .call(
                        TensorId.of(norm.first()),
                        LongArray.of(0),
                        shard.spec().id(),
                        norm.member(),
                        norm.members(),
                        id.push(),
                        number,
                        shard.slice(),
                        SliceCount.of(shard),
                        part)
                .toCompletableFuture()
                .thenApply(answer -> new double[] {answer.total()});
    }
}
