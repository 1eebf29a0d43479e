package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.checkpoint.SaveModel;
import io.psf.builtin.checkpoint.WrittenModel;
import io.psf.builtin.internal.training.BeginSave;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The save of a cut, by the worker that leads: all workers wait for the copies alone. */
final class CutSave {
    private static final Logger LOG = LoggerFactory.getLogger(CutSave.class);

    /** The number of saves in a row that fail before the training does. */
    private static final int MOST_FAILURES = 3;

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    private final ModelCheckpoints checkpoints;
    private final TrainingCalls calls;
    private final long step;
    private final List<RecordEntry> records;
    private final SavesApart apart;
    /** True once the checkpoint is complete, whatever becomes of the report. */
    private boolean isCommitted;

    CutSave(ModelCheckpoints checkpoints, TrainingCalls calls, long step, List<RecordEntry> records, SavesApart apart) {
        this.checkpoints = checkpoints;
        this.calls = calls;
        this.step = step;
        this.records = records;
        this.apart = apart;
    }

    /**
     * Copies the model.
     *
     * @param first true if the training begins here: blocks until the save is complete
     * @param last true if the training ends here: blocks until the save before and this one are complete, and fails if
     *     this one does
     * @return the step; -1 if it is not saved
     * @throws PsException with {@code STORAGE} after three failures in a row
     */
    long take(boolean first, boolean last) {
        checkpoints.held().store();
        List<TensorInfo> tensors = checkpoints.infos();
        SaveModel.Request save = models().request(step, tensors, checkpoints.increments());
        BeginSave.Response begun = calls.beginSave(save.save(), last);
        if (!begun.begins()) {
            LOG.info("checkpoint \"{}\" is not taken: the last one is still being written", models().checkpoint(step));
            return -1;
        }
        try {
            apart.requireNotRolledBack();
            if (begun.failures() >= MOST_FAILURES) {
                throw inARow(begun.failures(), begun.reason());
            }
            models().discard(step, 0);
            models().freeze(save);
            if (first || last) {
                finish(save, tensors);
                return step;
            }
        } catch (PsException e) {
            failed(save, e, last || isFinal(e));
            return isCommitted ? step : -1;
        }
        apart.run(() -> finishApart(save, tensors));
        return step;
    }

    private ModelCalls models() {
        return checkpoints.calls();
    }

    private static PsException inARow(int failures, String reason) {
        return new PsException(
                PsException.Code.STORAGE,
                "checkpoints that could not be saved: " + failures + " in a row, the last one since " + reason
                        + " (expected: at most " + (MOST_FAILURES - 1) + ")");
    }

    private static boolean isFinal(PsException e) {
        return switch (e.code()) {
            case ROLLED_BACK, CONFIGURATION, CLOSED, CANCELLED, BAD_REQUEST -> true;
            default -> false;
        };
    }

    /** Waits until all files are on the disk, commits them, and names the model to the cluster. */
    private void finish(SaveModel.Request save, List<TensorInfo> tensors) {
        WrittenModel.Response written = models().written(save);
        while (!written.all()) {
            LockSupport.parkNanos(PAUSE);
            written = models().written(save);
        }
        models().commit(save, ModelCalls.SavePart.of(records), tensors, written.indexes(), checkpoints.kept());
        isCommitted = true;
        named();
        var unused = calls.endSave(save.save(), "");
    }

    private void finishApart(SaveModel.Request save, List<TensorInfo> tensors) {
        try {
            finish(save, tensors);
        } catch (RuntimeException | Error e) {
            apart.failed(e);
            try {
                failed(save, e, false);
            } catch (PsException unreported) { // three in a row, which the next cut says too; or the cluster has ended
                LOG.debug("save {} is not reported as failed: {}", save.save(), unreported.getMessage());
            }
        }
    }

    /** Names the model to the cluster. The save is complete whatever becomes of that: the next one names it again. */
    private void named() {
        try {
            checkpoints.named(false);
        } catch (PsException e) {
            apart.failed(e);
            LOG.debug("model \"{}\" is not named to the cluster: {}", models().name(), e.getMessage());
        }
    }

    /**
     * Deletes what was written, unless the checkpoint is complete, and reports the end.
     *
     * @param ends true if the failure is thrown, even if it is the first
     */
    private void failed(SaveModel.Request save, Throwable why, boolean ends) {
        String reason = why instanceof PsException known ? known.code() + ": " + known.detail() : why.toString();
        LOG.warn(
                isCommitted
                        ? "checkpoint \"{}\" is saved, and not reported: {}"
                        : "checkpoint \"{}\" could not be saved: {}",
                models().checkpoint(step),
                reason);
        PsException failure = why instanceof PsException known ? known : null;
        if (!isCommitted) {
            discard(why);
        }
        int failures;
        try {
            failures = calls.endSave(save.save(), isCommitted ? "" : reason);
        } catch (PsException unreported) {
            apart.failed(unreported);
            if (ends && failure != null) {
                failure.addSuppressed(unreported);
                throw failure;
            }
            throw unreported;
        }
        if (ends && failure != null) {
            throw failure;
        } else if (failures >= MOST_FAILURES) {
            throw inARow(failures, reason);
        }
    }

    private void discard(Throwable why) {
        try {
            models().discard(step, 0);
        } catch (PsException notDiscarded) {
            apart.failed(notDiscarded);
            why.addSuppressed(notDiscarded);
        }
    }
}
