package io.psf.spark.ml;

import java.util.Locale;
import org.apache.spark.api.java.JavaRDD;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The epochs of a training, in the driver.
 *
 * @param name the estimator's uid, for the log
 * @param weights the model's weights on the servers
 * @param training the batches of training
 * @param validation the batches of validation
 * @param isRepeatable true if the batches are the same each time they are made
 */
record Training(
        String name,
        TableWeights weights,
        JavaRDD<Batch> training,
        JavaRDD<Batch> validation,
        boolean isRepeatable,
        Schedule schedule) {
    private static final Logger LOG = LoggerFactory.getLogger(Training.class);

    /**
     * When the training ends.
     *
     * @param epochs the most epochs
     * @param validates true if there are rows of validation
     * @param tol an epoch that does not lower the loss of validation by this is one without progress
     * @param patience the training ends after this many of them in a row
     */
    record Schedule(int epochs, boolean validates, double tol, int patience, long seed) {}

    /** Runs the epochs, until they are all done or bring no progress. */
    PsTrainingSummary run(EpochLoop loop) {
        History history = new History(schedule.epochs());
        int epochs = loop.run(name, schedule.epochs(), weights.table().tensors(), epoch -> isLast(epoch, history));
        return history.until(epochs, schedule.validates(), weights.kernel().loss() instanceof BinaryLoss);
    }

    /** Runs an epoch, and validates it. */
    private boolean isLast(int epoch, History history) {
        long begin = System.nanoTime();
        Measure learned = runEpoch(epoch);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Measure validated = schedule.validates() ? sum(validation.mapPartitions(new Validate(weights))) : null;
        String tested = "";
        if (validated != null) {
            tested = String.format(Locale.ROOT, ", validation loss %.6f", validated.meanLoss());
            if (validated.labels() != null) {
                tested += String.format(Locale.ROOT, ", AUC %.5f", validated.auc());
            }
        }
        history.set(epoch, learned, validated);
        LOG.info(
                "{}: epoch {} of {}: loss {}{}, {} rows/s",
                name,
                epoch,
                schedule.epochs(),
                String.format(Locale.ROOT, "%.6f", learned.meanLoss()),
                tested,
                Math.round(learned.rows() / seconds));
        if (!Double.isFinite(learned.meanLoss())) {
            throw new IllegalStateException(name + ": loss " + learned.meanLoss() + " in epoch " + epoch
                    + " (expected: a finite number; a smaller stepSize may help)");
        }
        int without = schedule.validates() ? history.withoutProgress(epoch, schedule.tol()) : 0;
        if (without < schedule.patience()) {
            return false;
        }
        LOG.info("{}: ends after epoch {}, {} of which without progress", name, epoch, without);
        return true;
    }

    /** Runs one epoch: one job, in which each task passes once over its partition. */
    private Measure runEpoch(int epoch) {
        Epoch pass = new Epoch(
                weights.kernel(), weights.table(), weights.hasBias(), isRepeatable, Mix.hash(schedule.seed(), epoch));
        return sum(training.mapPartitions(pass));
    }

    private static Measure sum(JavaRDD<Measure> parts) {
        return parts.reduce(Measure::plus);
    }
}
