package io.psf.builtin.internal.checkpoint;

import io.psf.api.Caller;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.reports.CollectReports;
import io.psf.builtin.internal.reports.CollectReportsPsf;
import io.psf.builtin.internal.reports.ReportedValues;
import io.psf.builtin.push.Stages;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A save of a model, by the server that leads it: all servers copy their shards, then wait for the disk; then this one
 * writes the manifest. Used on the server's lane, but for the commit.
 */
public final class LedSave {
    private static final Logger LOG = LoggerFactory.getLogger(LedSave.class);

    /** In place of a step: the one after the newest. */
    public static final long NEXT = -1;

    private final StoredNode leader;
    private final ModelSteps steps;
    private final ModelOptions options;
    private final List<RecordEntry> records;
    private final Checks checks;
    private final CompletableFuture<Void> frozen = new CompletableFuture<>();
    /** The unique number of the save. */
    private final long save = ThreadLocalRandom.current().nextLong();

    private long step;
    /** True once files of the step may be there. */
    private boolean hasBegun;

    private boolean isCommitted;
    /** The reports of workers until the copies of shards began; empty for a model of one tensor. */
    private List<ReportedValues> reports = List.of();
    /** The bytes that the servers have written. */
    private long bytes;

    /**
     * The conditions of a save.
     *
     * @param rollback the last rollback that its callers know
     * @param asksFirst true if the scheduler is asked before anything is discarded whether there is a later one; it is
     *     asked before the manifest is written in any case
     * @param allowed throws why the save is not allowed now
     */
    public record Checks(long rollback, boolean asksFirst, Runnable allowed) {}

    /**
     * Prepares a save.
     *
     * @param step the number of the step; {@link #NEXT}
     * @param records the workers' records; those of absent workers are taken from the checkpoint before
     */
    public LedSave(
            StoredNode leader,
            String model,
            long step,
            ModelOptions options,
            List<RecordEntry> records,
            Checks checks) {
        this.leader = leader;
        this.steps = ModelSteps.of(leader.checkpoints(), model);
        this.step = step;
        this.options = options;
        this.records = records;
        this.checks = checks;
    }

    /**
     * Begins the save when the earlier works on the model have ended.
     *
     * @param isWanted false if nobody waits for it any more when its turn comes
     * @return the step, once the checkpoint is complete. If the save fails, its files are deleted
     */
    public CompletableFuture<Long> start(BooleanSupplier isWanted) {
        return ModelWorks.of(leader)
                .add(
                        steps.model(),
                        isWanted,
                        () -> Stages.begun(this::run)
                                .handle((done, failure) -> failure == null
                                        ? CompletableFuture.<Void>completedFuture(null)
                                        : failed(Stages.cause(failure)))
                                .thenCompose(done -> done)
                                .thenApply(done -> step));
    }

    /** Completed once all copies of shards have begun: calls may change them again. Fails if the save fails before. */
    public CompletionStage<Void> frozen() {
        return frozen;
    }

    private CompletionStage<Void> run() {
        long begin = System.nanoTime();
        checks.allowed().run();
        CompletionStage<Void> asked = checks.asksFirst() ? ask() : CompletableFuture.completedFuture(null);
        Caller servers = leader.caller(ModelWorks.LIMIT);
        return asked.thenCompose(exact -> ModelLocks.of(leader).await(leader, steps.model()))
                .thenCompose(taken -> freeze(servers))
                .thenCompose(copied -> collectReports(servers))
                .thenCompose(copied -> {
                    frozen.complete(null);
                    return Stages.reached(
                            leader,
                            () -> true,
                            () -> WrittenModelPsf.stub(servers)
                                    .withDeadline(ModelWorks.LIMIT)
                                    .call(save, false));
                })
                .thenCompose(files -> ask().thenCompose(exact -> {
                    checks.allowed().run();
                    SkippedSteps skipped = skipped();
                    return leader.runApart("psf-commit", () -> commit(files.written(), skipped));
                }))
                .thenCompose(committed -> {
                    counts().saved(step, bytes, System.nanoTime() - begin);
                    return named();
                });
    }

    private SaveCounts counts() {
        return ModelWorks.of(leader).saves(steps.model());
    }

    private CompletionStage<Void> named() {
        return options.isRestored()
                ? leader.restoreFrom(RestorePoint.saved(steps.model(), options.isExact(), checks.rollback()))
                : CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> ask() {
        return options.isRestored()
                ? leader.restoreFrom(RestorePoint.asked(checks.rollback()))
                : CompletableFuture.completedFuture(null);
    }

    /** Deletes what an earlier save of the step has left, and has all servers copy their shards. */
    private CompletionStage<FreezeModel.Response> freeze(Caller servers) {
        if (step == NEXT) {
            step = steps.steps().stream().findFirst().orElse(-1L) + 1;
        }
        hasBegun = true;
        SeenSteps seen = steps.look();
        discard(seen);
        // no base after a damaged step has been skipped: the save has all rows
        Optional<ModelManifest> base =
                options.increments() == 0 ? Optional.empty() : seen.newest(skipped()::mayBeBuiltOn);
        return Stages.reached(
                leader,
                () -> true,
                () -> FreezeModelPsf.stub(servers)
                        .withDeadline(ModelWorks.LIMIT)
                        .call(
                                steps.model(),
                                step,
                                save,
                                base.map(ModelManifest::step).orElse(-1L),
                                base.map(ModelManifest::checksum).orElse(0),
                                options.increments(),
                                options.tensors()));
    }

    private CompletionStage<Void> collectReports(Caller servers) {
        if (CheckpointNames.isOfTensors(steps.model())) {
            return CompletableFuture.completedFuture(null);
        }
        return Stages.reached(
                        leader,
                        () -> true,
                        () -> CollectReportsPsf.stub(servers)
                                .withDeadline(ModelWorks.LIMIT)
                                .call(CollectReports.ALL))
                .thenAccept(collected -> reports = collected.series());
    }

    private SkippedSteps skipped() {
        return ModelWorks.of(leader).skipped(steps.model());
    }

    private void discard(SeenSteps seen) {
        seen.discard(step);
        skipped().remove(step);
    }

    /** Writes the manifest, then deletes the steps beyond those to keep: on a thread that is no lane. */
    private void commit(List<WrittenFiles> written, SkippedSteps skipped) {
        List<SavedTensor> tensors = written.stream()
                .flatMap(each -> each.tensors().stream())
                .distinct()
                .toList();
        requireAll(tensors);
        SeenSteps seen = steps.look();
        List<RecordEntry> all = seen.newest(each -> each < step)
                .map(before -> ModelManifest.withAbsent(records, before))
                .orElse(records);
        List<SavedIndex> indexes = written.stream().map(WrittenFiles::index).toList();
        if (!reports.isEmpty()) {
            steps.folder().publish(SavedReports.file(step), SavedReports.text(reports));
        }
        seen.write(new ModelManifest(step, tensors, indexes, all));
        isCommitted = true;
        bytes = written.stream().mapToLong(WrittenFiles::bytes).sum();
        LOG.info(
                "checkpoint \"{}\": {} bytes, {} slices with changes alone",
                steps.name(step),
                bytes,
                written.stream().mapToInt(WrittenFiles::increments).sum());
        skipped.saved();
        seen.prune(options.kept(), step, options.increments() > 0, skipped)
                .forEach(reason -> LOG.warn(
                        "an old checkpoint of model \"{}\" is left: {}", steps.model(), Names.printable(reason)));
    }

    private void requireAll(List<SavedTensor> tensors) {
        Set<String> missing =
                options.tensors().stream().map(TensorId::name).collect(Collectors.toCollection(TreeSet::new));
        tensors.forEach(each -> missing.remove(each.tensor()));
        if (!missing.isEmpty()) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensors to save that no server has: " + ChosenTensors.some(missing) + " (expected: initialized)");
        }
    }

    /**
     * Deletes what was written, unless the checkpoint is complete.
     *
     * @return fails with the reason; with {@code ROLLED_BACK} if all slices have to go back to a checkpoint
     */
    private CompletionStage<Void> failed(Throwable why) {
        String reason = why instanceof PsException known ? known.code() + ": " + known.detail() : why.toString();
        if (!isCommitted) {
            counts().failed();
        }
        LOG.warn(
                isCommitted
                        ? "checkpoint \"{}\" is saved, and not named to the cluster: {}"
                        : "checkpoint \"{}\" could not be saved: {}",
                step == NEXT ? steps.model() : steps.name(step),
                reason);
        CompletionStage<Void> ended = hasBegun && !isCommitted
                ? WrittenModelPsf.stub(leader.caller(ModelWorks.LIMIT))
                        .withDeadline(ModelWorks.LIMIT)
                        .call(save, true)
                        .toCompletableFuture()
                        .handle((written, unreached) -> discarded(why))
                : CompletableFuture.completedFuture(null);
        return ended.thenCompose(done -> isCommitted ? CompletableFuture.<Void>completedFuture(null) : ask())
                .handle((exact, rolledBack) -> {
                    Throwable cause = rolledBack == null ? why : Stages.cause(rolledBack);
                    if (cause != why) {
                        cause.addSuppressed(why);
                    }
                    frozen.completeExceptionally(cause);
                    throw new CompletionException(cause);
                });
    }

    private @Nullable Void discarded(Throwable why) {
        try {
            discard(steps.look());
        } catch (PsException notDiscarded) {
            why.addSuppressed(notDiscarded);
        }
        return null;
    }
}
