package io.psf.spark.ml;

import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.io.Serializable;
import java.util.function.DoubleFunction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call of {@code fit}: shuffles the rows, makes the table and trains.
 *
 * @param uid of the estimator
 * @param hasBias true if there is a bias
 * @param initial the weights with which the training begins; null for those of the kernel
 * @param saves true if each epoch ends with a checkpoint
 */
record Fitting(
        String uid,
        TrainingRows rows,
        Kernel kernel,
        boolean hasBias,
        @Nullable Weights initial,
        Training.Schedule schedule,
        boolean saves) {
    private static final Logger LOG = LoggerFactory.getLogger(Fitting.class);

    /**
     * The optimizers on the servers.
     *
     * @param rows of the table
     * @param bias of the bias
     */
    record Rules(Rule rows, Rule bias) implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;
    }

    /** Returns an input with the number of features, which is the size of the vectors if it is not set. */
    static Input sized(Input input, Dataset<?> data) {
        if (input.hasKeys() || input.numFeatures() > 0) {
            return input;
        }
        int known = AttributeGroup.fromStructField(data.schema().apply(input.features()))
                .size();
        if (known > 0) {
            return input.withNumFeatures(known);
        }
        Dataset<Row> features = data.select(input.columns().toArray(Column[]::new));
        return features.takeAsList(1).stream()
                .map(row -> row.isNullAt(0) ? input : input.withNumFeatures(((Vector) row.get(0)).size()))
                .findFirst()
                .orElse(input);
    }

    /**
     * The result of a training.
     *
     * @param summary how the epochs went
     */
    record Trained(ServedWeights weights, PsTrainingSummary summary) {}

    /** Trains. The rows are in Spark's memory until then, or on its disks. */
    Trained run(Dataset<?> data, DoubleFunction<Rules> rules) {
        PsClient caller = PsSpark.client();
        ServedWeights.collectGarbage(uid);
        JavaRDD<InternalRow> input = rows.of(data);
        JavaRDD<TrainingRows.TaggedBatch> batches =
                rows.batches(input).setName(uid + ": rows of training").persist(StorageLevel.MEMORY_AND_DISK());
        try {
            JavaRDD<Batch> training = ofKind(batches, false);
            JavaRDD<Batch> validation = ofKind(batches, true);
            long begin = System.nanoTime();
            Measure learned = count(training, "rows of training");
            if (schedule.validates()) {
                var unused = count(validation, "rows of validation");
            }
            LOG.info(
                    "{}: {} rows of training, shuffled in {} ms to {} partitions",
                    uid,
                    learned.rows(),
                    (System.nanoTime() - begin) / 1_000_000,
                    training.getNumPartitions());
            Table table = Table.of(uid, rows.input().numFeatures(), kernel.width(), saves);
            Rules chosen = rules.apply(learned.importance());
            return table.orClear(caller, () -> {
                table.create(caller, chosen.rows().optimizer(), chosen.bias().optimizer());
                if (initial != null) {
                    new InitialWeights(table, kernel, chosen).set(data.sparkSession(), initial);
                }
                TableWeights weights = new TableWeights(kernel, table, hasBias);
                Training all =
                        new Training(uid, weights, training, validation, TrainingRows.isRepeatable(input), schedule);
                EpochLoop loop = new EpochLoop(data.sparkSession(), table.name(), saves);
                PsTrainingSummary summary = all.run(loop);
                return new Trained(new ServedWeights(weights, loop.servers()), summary);
            });
        } finally {
            batches.unpersist(false);
        }
    }

    private static JavaRDD<Batch> ofKind(JavaRDD<TrainingRows.TaggedBatch> batches, boolean isValidation) {
        return batches.filter(batch -> batch.isValidation() == isValidation).map(TrainingRows.TaggedBatch::batch);
    }

    private static Measure count(JavaRDD<Batch> batches, String what) {
        Measure all = batches.map(batch -> Measure.of(batch, 0)).fold(Measure.NONE, Measure::plus);
        if (all.rows() == 0) {
            throw new IllegalArgumentException(what + ": 0 (expected: at least 1)");
        }
        if (all.importance() == 0) {
            throw new IllegalArgumentException("weights of the " + what + ": 0 in all (expected: above 0)");
        }
        return all;
    }
}
