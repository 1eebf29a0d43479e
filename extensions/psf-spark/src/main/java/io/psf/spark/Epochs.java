package io.psf.spark;

import io.psf.api.PsException;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.runtime.Client;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A training in epochs, each of which ends with a checkpoint. If a server is lost, the epoch is repeated from the
 * checkpoint before it, once another server has its place. So is an epoch with a task whose attempts may have made
 * different changes.
 */
final class Epochs {
    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);
    /** In the record of a checkpoint of a training that has ended with its epoch. */
    private static final String ENDED = "psf.ended";

    private static final int MOST_WITHOUT_PROGRESS = 10;

    private final ModelCheckpoints checkpoints;

    private Client client = NodeClient.get();
    private long rollback;
    private long epoch;
    /** True if no epoch follows. */
    private boolean isEnded;

    private int failures;

    /** Loads the newest checkpoint, if there is one. */
    Epochs(ModelCheckpoints checkpoints) {
        this.checkpoints = checkpoints;
        rollback = PsSpark.client().rollback();
        epoch = load();
        if (epoch < 0) {
            save(0, false);
        } else if (epoch > 0) {
            LOG.info("psf: goes on after epoch {}, which the newest checkpoint has", epoch);
        }
    }

    /** Runs the epochs that the newest checkpoint does not have. Returns the number of all epochs. */
    static int run(SparkContext context, ModelCheckpoints checkpoints, int most, StoppingWork work) throws Exception {
        try (RunningTasks tasks = new RunningTasks(context)) {
            Epochs epochs = new Epochs(checkpoints);
            while (!epochs.isEnded && epochs.epoch < most) {
                epochs.next(tasks, epochs.epoch + 1, work);
            }
            return (int) epochs.epoch;
        }
    }

    /** Runs one epoch of a number, which is the next one or a later one, unless the newest checkpoint has it. */
    void runOne(SparkContext context, long number, EpochWork work) throws Exception {
        try (RunningTasks tasks = new RunningTasks(context)) {
            while (epoch < number) {
                next(tasks, number, coming -> {
                    work.run(coming);
                    return false;
                });
            }
        }
    }

    private void save(long done, boolean isLast) {
        checkpoints.save(done, isLast ? Map.of(ENDED, "true") : Map.of());
        epoch = done;
        isEnded = isLast;
        failures = 0;
    }

    /** Returns the epoch that the newest checkpoint has; -1 if there is none. */
    private long load() {
        Optional<ModelCheckpoint> newest = checkpoints.loadLatest();
        isEnded = newest.isPresent() && newest.get().record(0).containsKey(ENDED);
        return newest.map(ModelCheckpoint::step).orElse(-1L);
    }

    private void next(RunningTasks tasks, long coming, StoppingWork work) throws Exception {
        @Nullable Exception failure = null;
        try {
            boolean isLast = work.run((int) coming);
            tasks.await();
            if (PsSpark.client().rollback() == rollback) {
                save(coming, isLast);
                return;
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // of a task that has lost a server, or of the user's code
            failure = e;
        }
        goBack(tasks, failure);
    }

    /**
     * Loads the newest checkpoint if a server or the client of this process was lost, or a task's attempts may differ.
     *
     * @throws Exception the failure, if it has another reason
     */
    private void goBack(RunningTasks tasks, @Nullable Exception failure) throws Exception {
        tasks.kill();
        tasks.await(); // one that still runs would change the loaded tensors
        long now = PsSpark.client().rollback();
        boolean isLost = now != rollback || client != NodeClient.get();
        if (failure != null && (!isLost && !isOfAttempts(failure) || ++failures > MOST_WITHOUT_PROGRESS)) {
            throw failure;
        }
        rollback = now;
        client = NodeClient.get();
        long last = epoch;
        try {
            epoch = load();
        } catch (PsException e) {
            if (++failures > MOST_WITHOUT_PROGRESS) {
                throw e;
            }
            goBack(tasks, e);
            return;
        }
        if (epoch < 0) {
            throw new IllegalStateException(
                    "no checkpoint of the model (expected: a checkpoint of epoch " + last + ")");
        }
        LOG.warn(
                "psf: {}: the epoch after {} is repeated from the checkpoint of epoch {}",
                isLost ? "a server or this client was lost" : "a task was run again, and its attempts may differ",
                last,
                epoch);
    }

    /** True if a task failed since an earlier attempt of it had made changes that may be others. */
    private static boolean isOfAttempts(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof PsException known && known.code() == PsException.Code.OTHER_ATTEMPT) {
                return true;
            }
        }
        return false;
    }
}
