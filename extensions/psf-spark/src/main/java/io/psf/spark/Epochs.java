package io.psf.spark;

import io.psf.api.PsException;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.SparkStatusTracker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * A training in epochs, each of which ends with a checkpoint. If a server is lost, the epoch is repeated from the
 * checkpoint before it, once another server has its place.
 */
final class Epochs {
    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);
    /** In the record of a checkpoint of a training that has ended with its epoch. */
    private static final String ENDED = "psf.ended";

    private static final int MOST_WITHOUT_PROGRESS = 10;
    private static final Duration POLL = Duration.ofMillis(20);
    /** For a task that is told to end and does not. */
    private static final Duration MOST_QUIET = Duration.ofMinutes(10);

    private final SparkContext context;
    private final ModelCheckpoints checkpoints;
    /** By which Spark knows the jobs of this training. */
    private final String tag = "psf-" + UUID.randomUUID();

    private long rollback;
    private long epoch;
    /** True if no epoch follows. */
    private boolean isEnded;

    private int failures;

    private Epochs(SparkContext context, ModelCheckpoints checkpoints) {
        this.context = context;
        this.checkpoints = checkpoints;
    }

    /** Runs the epochs that the newest checkpoint does not have. Returns the number of all epochs. */
    static int run(SparkContext context, ModelCheckpoints checkpoints, int most, StoppingWork work) throws Exception {
        Epochs epochs = new Epochs(context, checkpoints);
        context.addJobTag(epochs.tag);
        try {
            epochs.begin();
            while (!epochs.isEnded && epochs.epoch < most) {
                epochs.next(work);
            }
            return (int) epochs.epoch;
        } finally {
            context.removeJobTag(epochs.tag);
        }
    }

    private void begin() {
        rollback = PsSpark.client().rollback();
        epoch = load();
        if (epoch < 0) {
            save(0, false);
        } else if (epoch > 0) {
            LOG.info("psf: goes on after epoch {}, which the newest checkpoint has", epoch);
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

    private void next(StoppingWork work) throws Exception {
        @Nullable Exception failure = null;
        try {
            boolean isLast = work.run((int) epoch + 1);
            awaitTasks();
            if (PsSpark.client().rollback() == rollback) {
                save(epoch + 1, isLast);
                return;
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // of a task that has lost a server, or of the user's code
            failure = e;
        }
        goBack(failure);
    }

    /**
     * Loads the newest checkpoint if a server was lost.
     *
     * @throws Exception the failure, if none was lost
     */
    private void goBack(@Nullable Exception failure) throws Exception {
        awaitTasks(); // a task that still runs would change the loaded tensors
        long now = PsSpark.client().rollback();
        if (failure != null && (now == rollback || ++failures > MOST_WITHOUT_PROGRESS)) {
            throw failure;
        }
        rollback = now;
        long lost = epoch + 1;
        try {
            epoch = load();
        } catch (PsException e) {
            if (++failures > MOST_WITHOUT_PROGRESS) {
                throw e;
            }
            goBack(e);
            return;
        }
        if (epoch < 0) {
            throw new IllegalStateException(
                    "no checkpoint of the model (expected: a checkpoint of epoch " + (lost - 1) + ")");
        }
        LOG.warn("psf: a server was lost: epoch {} is repeated from the checkpoint of epoch {}", lost, epoch);
    }

    /** Blocks until no task of the training's jobs runs, also of jobs that were told to end. */
    private void awaitTasks() throws InterruptedException {
        SparkStatusTracker status = context.statusTracker();
        long until = System.nanoTime() + MOST_QUIET.toNanos();
        for (int job : status.getJobIdsForTag(tag)) {
            while (hasActiveTasks(status, job)) {
                if (System.nanoTime() > until) {
                    throw new IllegalStateException("tasks of Spark's job " + job + ": still run after "
                            + MOST_QUIET.toMinutes() + " min (expected: tasks that end when they are told to)");
                }
                Thread.sleep(POLL.toMillis());
            }
        }
    }

    private static boolean hasActiveTasks(SparkStatusTracker status, int job) {
        var info = status.getJobInfo(job);
        if (info.isEmpty()) {
            return false;
        }
        for (int stage : info.get().stageIds()) {
            Option<SparkStageInfo> known = status.getStageInfo(stage);
            if (known.isDefined() && known.get().numActiveTasks() > 0) {
                return true;
            }
        }
        return false;
    }
}
