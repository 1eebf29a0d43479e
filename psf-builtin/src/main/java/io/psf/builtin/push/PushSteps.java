package io.psf.builtin.push;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Step;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.builtin.policy.RowPolicy;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a shard's optimizer that pushes cause, with those keys that the table's policy admits. Used on the lane.
 */
final class PushSteps {
    private final Shard shard;
    private final boolean synchronous;
    private final boolean hasQuorum;
    /** Which keys get a row, and which rows are removed; null if that is every key and no row. */
    private final @Nullable RowPolicy policy;
    /** The steps that wait for sums of other slices. */
    private int running;
    /** By worker or client, the number of pushes that were left out. */
    private final SortedMap<Integer, Long> skipped = new TreeMap<>();

    /**
     * Creates the steps of a new shard.
     *
     * @param synchronous true if pushes are applied in rounds
     * @param hasQuorum true if rounds may close without a push of each worker
     */
    PushSteps(Shard shard, boolean synchronous, boolean hasQuorum) {
        this.shard = shard;
        this.synchronous = synchronous;
        this.hasQuorum = hasQuorum;
        RowPolicy ofTable = shard.spec().grows() ? RowPolicy.of(shard) : null;
        this.policy = ofTable == null || ofTable.isNone() ? null : ofTable;
    }

    /** True if pushes with an element that is not finite are left out. */
    boolean skipsNonFinite() {
        TiledOptimizer tiled = TiledOptimizer.of(shard);
        return tiled != null && tiled.skipsNonFinite();
    }

    /**
     * Says if a push is to be left out. The returned stage is completed on the lane.
     *
     * @param caller asks the other slices
     */
    CompletionStage<Boolean> skips(Update update, CallInfo call, Caller caller) {
        SlicedStep.Id id = new SlicedStep.Id(requireWorker(call.worker()), call.call());
        CompletionStage<Double> slices = SlicedStep.notFinite(shard, id, caller, update.isFinite());
        running++;
        return slices.thenApply(count -> count > 0).whenComplete((skips, failure) -> running--);
    }

    /** Counts a push that is left out. */
    void skipped(int worker) {
        skipped.merge(worker, 1L, Long::sum);
    }

    /** Returns the number of pushes that were left out, by worker or client. */
    SortedMap<Integer, Long> skipped() {
        return skipped;
    }

    /** Steps the optimizer. */
    void apply(Update update) {
        LongArray keys = update.keys();
        if (policy == null || keys == null) {
            update.applyTo(shard);
        } else {
            boolean inParts = !TiledOptimizer.dependsOnPushes(shard);
            policy.apply(
                    shard,
                    new RowPolicy.Part(keys, update.values()),
                    inParts,
                    part -> new Update(part.keys(), part.values()).applyTo(shard, part.rows()));
        }
    }

    /** Begins a step that needs sums over other slices. */
    Step begin(TiledOptimizer summing, Update update) {
        LongArray keys = update.keys();
        if (policy == null || keys == null) {
            return summing.begin(shard, keys, update.values());
        }
        RowPolicy.Part part = policy.admit(shard, new RowPolicy.Part(keys, update.values()));
        return summing.begin(shard, part.keys(), part.values());
    }

    /**
     * Completes a step that {@link #begin} began.
     *
     * @param step null for a round without updates, which has a part of nothing in the {@link
     *     TiledOptimizer#globalNorm}
     */
    CompletionStage<Void> run(@Nullable Step step, SlicedStep.Id id, List<Caller> callers) {
        running++;
        CompletionStage<Void> done;
        try {
            SlicedStep sliced = new SlicedStep(shard, id, callers);
            done = step == null ? sliced.pass() : sliced.run(step);
        } catch (RuntimeException | Error e) {
            running--;
            throw e;
        }
        return done.whenComplete((nothing, failure) -> running--).thenRun(this::trim);
    }

    private void trim() {
        if (policy != null) {
            policy.trim(shard);
        }
    }

    /** Returns true while a step waits for sums of other slices. */
    boolean isRunning() {
        return running > 0;
    }

    /**
     * Returns the optimizer if its steps need sums over other slices; otherwise null.
     *
     * @throws PsException with {@code BAD_REQUEST} if there is a quorum, and rounds need sums: a round has other pushes
     *     on other slices then; or if the norm is over several tensors, without rounds
     */
    @Nullable
    TiledOptimizer summing() {
        TiledOptimizer tiled = TiledOptimizer.of(shard);
        if (tiled == null || !tiled.needsSumsOfOthers(shard)) {
            return null;
        }
        if (!synchronous && tiled.globalNorm() != null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "optimizer of tensor \"" + shard.spec().id() + "\": " + tiled
                            + ", a norm over several tensors, with updates EACH (expected: SUM or MEAN)");
        }
        if (hasQuorum && tiled.roundNeedsSums()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "optimizer of tensor \"" + shard.spec().id() + "\": " + tiled
                            + ", which needs sums over all slices, with a quorum (expected: one slice, or rounds of all"
                            + " workers)");
        }
        return tiled;
    }

    /**
     * Returns the rank of the worker that has pushed.
     *
     * @throws PsException with {@code BAD_REQUEST} if it is no worker
     */
    int requireWorker(int worker) {
        if (worker == SlicedStep.Id.ROUND) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "push of a server to tensor \"" + shard.spec().id() + "\", whose optimizer " + shard.optimizer()
                            + " needs sums over all slices (expected: a push of a worker)");
        }
        return worker;
    }
}
