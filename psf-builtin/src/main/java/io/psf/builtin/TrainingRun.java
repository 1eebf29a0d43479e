package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.builtin.internal.checkpoint.ModelManifest;
import io.psf.builtin.internal.training.Boundaries;
import io.psf.builtin.internal.training.EnterTraining;
import io.psf.builtin.internal.training.TrainingCalls;
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
        this.calls = new TrainingCalls(checkpoints.meeting());
        this.steps = steps;
        this.initial = Map.copyOf(loop.save());
        this.boundaries = boundaries(0);
    }

    private Boundaries boundaries(long from) {
        return new Boundaries(calls, steps, loop.everyMillis(), loop::isStopped, from);
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
                        calls.leave(List.of(), true);
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

    /** Begins together with the other workers, joins them, or learns that they have ended. */
    private void begin() {
        EnterTraining.Response place = calls.enter(steps, worker.takeReturn());
        Optional<ModelCheckpoint> latest =
                place.manifest().isEmpty() ? Optional.empty() : Optional.of(ModelCheckpoint.of(place.manifest()));
        long cut = place.cut();
        if (cut == EnterTraining.BACK) {
            throw new PsException(PsException.Code.ROLLED_BACK, "worker " + worker.rank() + " has come back");
        } else if (cut == EnterTraining.OVER) {
            continueFrom(latest, cut);
            checkpoints.held().restore();
            steps = at;
        } else if (cut >= 0) {
            continueFrom(place.entries().isEmpty() ? latest : Optional.of(left(place)), cut);
            LOG.info("worker {} joins the training after step {}", worker.rank(), cut);
            meet(false);
            checkpoints.held().restore();
        } else if (worker.isLate() && latest.isPresent()) {
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
        try {
            calls.leave(List.of(), false);
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
        boundaries = boundaries(at);
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
        calls.leave(entries, false);
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
        if (calls.cut(at, loop.isStopped(), first || at == steps, entries).last()) {
            steps = at;
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
        try {
            worker.awaitAll();
        } catch (PsException e) { // a call of a step that will be done again
            LOG.debug("a call before the return to a checkpoint failed: {}", e.getMessage());
        }
        ModelCheckpoint loaded = ModelCheckpoint.of(calls.load().manifest());
        checkpoints.held().restore();
        Map<String, String> record = loaded.record(worker.rank());
        loop.restore(record.isEmpty() ? initial : record);
        at = loaded.step();
        boundaries = boundaries(at);
        LOG.info("worker {} goes on after step {}", worker.rank(), at);
    }
}
