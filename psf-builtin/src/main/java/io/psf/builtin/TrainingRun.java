package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.Restore;
import io.psf.builtin.checkpoint.ModelManifest;
import io.psf.builtin.internal.training.EnterTraining;
import io.psf.builtin.internal.training.MeetWorkers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a {@link TrainingLoop}. */
final class TrainingRun {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingRun.class);

    /** The number of times that the workers go back without a step in between. */
    private static final int MOST_RETURNS = 10;

    private final TrainingLoop loop;
    private final ModelCheckpoints checkpoints;
    private final ClusterCaller worker;
    private final TrainingCalls calls;
    private final Map<String, String> initial;
    private final SavesApart apart = new SavesApart();
    /** The last step; an earlier one after a stop. */
    private long steps;
    /** The step that is done. */
    private long at;

    private Boundaries boundaries;
    private int returns;
    /** True once this worker has left the others in order. */
    private boolean hasLeft;

    TrainingRun(TrainingLoop loop, long steps) {
        this.loop = loop;
        this.checkpoints = loop.checkpoints();
        this.worker = checkpoints.worker();
        this.calls = new TrainingCalls(worker, checkpoints.calls().name());
        this.steps = steps;
        this.initial = Map.copyOf(loop.save());
        this.boundaries = new Boundaries(calls, loop, steps, 0);
    }

    <E extends Exception> long run(TrainingLoop.Step<E> body) throws E {
        var unused = worker.rank(); // refused before anything is sent
        CountDownLatch ended = new CountDownLatch(1);
        Runnable revocation = worker.atExit(() -> {
            loop.leave();
            awaitEnd(ended);
        });
        boolean hasBegun = false;
        try {
            while (true) {
                try {
                    if (!hasBegun) {
                        begin();
                        hasBegun = true;
                    }
                    train(body);
                    if (!hasLeft) {
                        rest();
                    }
                    return at;
                } catch (Exception e) {
                    PsException rolledBack = rolledBack(e);
                    if (rolledBack == null) {
                        throw e;
                    }
                    goBack(rolledBack);
                    hasBegun = true;
                }
            }
        } finally {
            end();
            ended.countDown();
            revocation.run();
        }
    }

    private static void awaitEnd(CountDownLatch ended) {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Says that the servers have what the last checkpoint has: until the next load or save no worker has to go back
     * when a lost node comes back.
     *
     * @throws PsException with {@code ROLLED_BACK} if the workers have to go back now
     */
    private void rest() {
        worker.restoreFrom(calls.model(), Restore.LOST, false);
    }

    /** Begins together with the other workers, joins them, or learns that they have ended. */
    private void begin() {
        boolean isBack = worker.takeReturn();
        Optional<ModelCheckpoint> latest = checkpoints.latest();
        if (latest.isPresent()) {
            checkpoints.named(false); // a worker that was lost before this run comes back by a rollback
        }
        EnterTraining.Response place = calls.enter(
                steps, isBack, latest.filter(each -> each.step() >= steps).isPresent());
        long cut = place.cut();
        if (cut == EnterTraining.BACK) {
            throw new PsException(PsException.Code.ROLLED_BACK, "worker " + worker.rank() + " has come back");
        } else if (cut == EnterTraining.OVER) {
            continueFrom(checkpoints.latest(), cut);
            checkpoints.held().restore();
            steps = at;
        } else if (cut >= 0) {
            continueFrom(place.entries().isEmpty() ? checkpoints.latest() : Optional.of(left(place)), cut);
            LOG.info("worker {} joins the training after step {}", worker.rank(), cut);
            meet(false);
            checkpoints.held().restore();
        } else if (worker.isLate() && checkpoints.latest().isPresent()) {
            throw new PsException(
                    PsException.Code.ROLLED_BACK,
                    "worker " + worker.rank() + " has joined, and the workers that trained before have left");
        } else {
            Optional<ModelCheckpoint> newest = checkpoints.loadLatest();
            continueFrom(newest, cut);
            if (newest.isEmpty()) {
                meet(true);
            }
        }
    }

    /** Returns the record with which a worker of this rank has left the loop since the last checkpoint. */
    private static ModelCheckpoint left(EnterTraining.Response place) {
        return ModelCheckpoint.of(new ModelManifest(place.cut(), List.of(), List.of(), place.entries()));
    }

    private void end() {
        boundaries.end();
        apart.end();
        try {
            calls.leave(List.of());
        } catch (PsException e) {
            LOG.debug("the end of a training loop is not reported: {}", e.getMessage());
        }
    }

    /**
     * Takes this worker's record from the newest checkpoint.
     *
     * @param cut the step of the cut at which this worker joins; -1 if it does not
     */
    private void continueFrom(Optional<ModelCheckpoint> newest, long cut) {
        newest.ifPresent(this::takeRecord);
        at = cut < 0 ? newest.map(ModelCheckpoint::step).orElse(0L) : cut;
        boundaries = new Boundaries(calls, loop, steps, at);
    }

    private void takeRecord(ModelCheckpoint saved) {
        Map<String, String> record = saved.record(worker.rank());
        long step = saved.recordSteps().getOrDefault(worker.rank(), saved.step());
        if (!record.isEmpty()) {
            loop.restore(record);
        } else if (!saved.records().isEmpty()) {
            LOG.warn(
                    "worker {} begins without a record: checkpoint of step {} has records of workers {}",
                    worker.rank(),
                    saved.step(),
                    new TreeSet<>(saved.records().keySet()));
        }
        if (!record.isEmpty() && step < saved.step()) {
            LOG.info(
                    "worker {} continues from its record of step {}, the last one before it was absent",
                    worker.rank(),
                    step);
        }
    }

    private <E extends Exception> void train(TrainingLoop.Step<E> body) throws E {
        if (at >= steps) {
            LOG.info("the training has {} of {} steps: none is left", at, steps);
        }
        if (at < steps) {
            var unused = boundaries.at(at);
        }
        while (at < steps) {
            apart.requireNotRolledBack();
            body.run(at + 1);
            at++;
            returns = 0;
            long cut = boundaries.at(at);
            if (at == cut || at == steps || loop.hasCutAfter(at)) {
                meet(false);
            }
            if (loop.isLeaving() && at < steps) {
                leaveOthers();
                return;
            }
        }
    }

    /** Leaves the others, with a record of what this worker has done. */
    private void leaveOthers() {
        var entries = checkpoints.held().flushed(worker.rank(), at, loop.save());
        worker.awaitAll();
        calls.leave(entries);
        hasLeft = true;
        LOG.info("worker {} leaves the training after step {} of {}", worker.rank(), at, steps);
    }

    /**
     * Meets the other workers at a cut after this step.
     *
     * @param first true if it precedes the first step
     */
    private void meet(boolean first) {
        var entries = checkpoints.held().flushed(worker.rank(), at, loop.save());
        worker.awaitAll();
        MeetWorkers.Response turn = calls.meet(at, loop.isStopped(), entries);
        boolean last = turn.last() || at == steps;
        if (turn.leads()) {
            lead(at, () -> {
                long saved = new CutSave(checkpoints, calls, at, turn.entries(), apart).take(first, last);
                if (turn.joined()) {
                    calls.restart(turn.workers(), false);
                }
                return saved;
            });
        }
        if (last) {
            steps = at;
        }
    }

    /** The work of the worker that leads. */
    @FunctionalInterface
    private interface Work {
        /** Returns the step that was saved or loaded; -1 if none was. */
        long run();
    }

    private long lead(long meeting, Work work) {
        try {
            long step = work.run();
            calls.end(meeting, PsException.Code.OK, "", step);
            return step;
        } catch (RuntimeException | Error e) {
            try {
                PsException.Code code = e instanceof PsException known ? known.code() : PsException.Code.CALLER_FAILED;
                calls.end(meeting, code, String.valueOf(e.getMessage()), -1);
            } catch (PsException notReported) {
                e.addSuppressed(notReported);
            }
            throw e;
        }
    }

    /** Returns the failure that says that the workers go back to a checkpoint; null if there is none. */
    private static @Nullable PsException rolledBack(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof PsException known && known.code() == PsException.Code.ROLLED_BACK) {
                return known;
            }
        }
        return null;
    }

    /** Loads the newest checkpoint with the other workers, again if another server is lost meanwhile. */
    private void goBack(PsException first) {
        PsException why = first;
        while (true) {
            if (++returns > MOST_RETURNS) {
                throw why;
            }
            try {
                goBackOnce(why);
                return;
            } catch (PsException e) {
                PsException again = rolledBack(e);
                if (again == null) {
                    throw e;
                }
                why = again;
            }
        }
    }

    private void goBackOnce(PsException why) {
        LOG.warn("worker {} goes back from step {}: {}", worker.rank(), at, why.detail());
        calls.abandon(why.detail());
        boundaries.end();
        apart.end();
        try {
            worker.awaitAll();
        } catch (PsException e) { // a call of a step that will be done again
            LOG.debug("a call before the return to a checkpoint failed: {}", e.getMessage());
        }
        MeetWorkers.Response turn = calls.meet(MeetWorkers.LOAD, false, List.of());
        long loaded = turn.leads() ? lead(MeetWorkers.LOAD, () -> load(turn.workers(), why)) : turn.step();
        checkpoints.held().restore();
        Map<String, String> record = checkpoints.list().stream()
                .filter(each -> each.step() == loaded)
                .map(each -> each.record(worker.rank()))
                .findFirst()
                .orElse(Map.of());
        loop.restore(record.isEmpty() ? initial : record);
        at = loaded;
        boundaries = new Boundaries(calls, loop, steps, at);
        LOG.info("worker {} goes on after step {}", worker.rank(), at);
    }

    private long load(int[] workers, PsException why) {
        long loaded = checkpoints.loadNewest();
        if (loaded < 0) {
            throw why;
        }
        calls.restart(workers, true);
        return loaded;
    }
}
