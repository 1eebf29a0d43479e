package io.psf.builtin.internal.training;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.LedLoad;
import io.psf.builtin.internal.checkpoint.LedSave;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.ModelManifest;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Stages;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server does for the workers of a model that meet. Used on the server's lane. */
final class LedWork implements LoopWork {
    private static final Logger LOG = LoggerFactory.getLogger(LedWork.class);

    /** The number of saves in a row that fail before the training does. */
    private static final int MOST_FAILURES = 3;

    private final StoredNode leader;
    private final String model;
    /** The number of the latest saves of cuts that have failed one after the other. */
    private int failures;

    private String reason = "";

    LedWork(StoredNode leader, String model) {
        this.leader = leader;
        this.model = model;
    }

    @Override
    public boolean isBusy() {
        return ModelWorks.of(leader).isBusy(model);
    }

    @Override
    public void forgetFailures() {
        failures = 0;
        reason = "";
    }

    /** Prepares the save of a step. */
    LedSave save(Meeting all, long step, List<RecordEntry> entries) {
        return new LedSave(
                leader, model, step, all.any().options(), entries, new LedSave.Checks(all.rollback(), false, () -> {}));
    }

    @Override
    public CompletionStage<Long> cut(Meeting all, long step, List<RecordEntry> entries, boolean last) {
        if (failures >= MOST_FAILURES) {
            throw inARow();
        }
        if (!all.isWhole() && isBusy()) {
            LOG.info(
                    "checkpoint of step {} of model \"{}\" is not taken: the last one is still being written",
                    step,
                    model);
            return CompletableFuture.completedFuture(Outcome.NONE);
        }
        LedSave save = save(all, step, entries);
        CompletableFuture<Long> saved = save.start(all::isAwaited).whenComplete((done, failure) -> ended(failure));
        CompletionStage<Long> copied =
                save.frozen().thenApply(done -> step).exceptionallyCompose(failure -> saved); // which has counted it
        return (all.isWhole() ? saved : copied).handle((done, failure) -> {
            if (failure == null) {
                return step;
            }
            if (last || isFinal(Stages.cause(failure))) {
                throw new CompletionException(Stages.cause(failure));
            } else if (failures >= MOST_FAILURES) {
                throw inARow();
            }
            return Outcome.NONE;
        });
    }

    private void ended(@Nullable Throwable failure) {
        Throwable why = failure == null ? null : Stages.cause(failure);
        if (why == null) {
            forgetFailures();
        } else if (!(why instanceof PsException known && known.code() == PsException.Code.ROLLED_BACK)) {
            failures++;
            reason = why instanceof PsException known ? known.code() + ": " + known.detail() : why.toString();
        }
    }

    private PsException inARow() {
        return new PsException(
                PsException.Code.STORAGE,
                "checkpoints that could not be saved: " + failures + " in a row, the last one since " + reason
                        + " (expected: at most " + (MOST_FAILURES - 1) + ")");
    }

    private static boolean isFinal(Throwable why) {
        return why instanceof PsException known
                && switch (known.code()) {
                    case ROLLED_BACK, CONFIGURATION, CLOSED, CANCELLED, BAD_REQUEST -> true;
                    default -> false;
                };
    }

    @Override
    public CompletionStage<Outcome> load(Meeting all, long step, int[] workers) {
        return new LedLoad(
                        leader, model, all.any().options(), LoadScope.MODEL, all.rollback(), all::isAwaited, () -> {})
                .start(step)
                .thenCompose(loaded -> restart(workers, true, all::isAwaited)
                        .thenApply(begun -> new Outcome(
                                false,
                                loaded.map(ModelManifest::step).orElse(Outcome.NONE),
                                false,
                                loaded.map(ModelManifest::text).orElse(""))));
    }

    @Override
    public CompletionStage<Void> restart(int[] workers, boolean loaded, BooleanSupplier isWanted) {
        Caller servers = leader.caller(ModelWorks.LIMIT);
        return Stages.reached(
                        leader, isWanted, () -> RestartStepsPsf.stub(servers).call(workers, loaded))
                .thenApply(done -> null);
    }

    @Override
    public CompletionStage<Void> pause(int worker, BooleanSupplier isWanted) {
        Caller servers = leader.caller(ModelWorks.LIMIT);
        return Stages.reached(
                        leader, isWanted, () -> PauseWorkerPsf.stub(servers).call(worker))
                .thenApply(done -> null);
    }
}
