package io.psf.spark.ml;

import io.psf.builtin.OptimizerSpec;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.util.function.LongFunction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call of {@code fit}: shuffles the rows, makes the table and trains.
 *
 * @param uid of the estimator
 * @param hasBias true if there is a bias
 * @param saves true if each epoch ends with a checkpoint
 */
record Fitting(
        String uid, TrainingRows rows, Kernel kernel, boolean hasBias, Training.Schedule schedule, boolean saves) {
    private static final Logger LOG = LoggerFactory.getLogger(Fitting.class);

    /**
     * The optimizers on the servers.
     *
     * @param rows of the table
     * @param bias of the bias
     */
    record Rules(OptimizerSpec rows, OptimizerSpec bias) {}

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
     * @param epochs the number of epochs
     */
    record Trained(ServedWeights weights, int epochs) {}

    /** Trains. The rows are in Spark's memory until then, or on its disks. */
    Trained run(Dataset<?> data, LongFunction<Rules> rules) {
        PsClient caller = PsSpark.client();
        ServedWeights.collectGarbage(uid);
        JavaRDD<InternalRow> input = rows.of(data);
        JavaRDD<TrainingRows.TaggedBatch> batches =
                rows.batches(input).setName(uid + ": rows of training").persist(StorageLevel.MEMORY_AND_DISK());
        try {
            JavaRDD<Batch> training = ofKind(batches, false);
            JavaRDD<Batch> validation = ofKind(batches, true);
            long begin = System.nanoTime();
            long learned = count(training);
            if (learned == 0 || schedule.validates() && count(validation) == 0) {
                throw new IllegalArgumentException(
                        (learned == 0 ? "rows of training" : "rows of validation") + ": 0 (expected: at least 1)");
            }
            LOG.info(
                    "{}: {} rows of training, shuffled in {} ms to {} partitions",
                    uid,
                    learned,
                    (System.nanoTime() - begin) / 1_000_000,
                    training.getNumPartitions());
            Table table = Table.of(uid, rows.input().numFeatures(), kernel.width(), saves);
            Rules chosen = rules.apply(learned);
            return table.orClear(caller, () -> {
                table.create(caller, chosen.rows(), chosen.bias());
                TableWeights weights = new TableWeights(kernel, table, hasBias);
                Training all =
                        new Training(uid, weights, training, validation, TrainingRows.isRepeatable(input), schedule);
                EpochLoop loop = new EpochLoop(data.sparkSession(), table.name(), saves);
                int epochs = all.run(loop);
                return new Trained(new ServedWeights(weights, loop.servers()), epochs);
            });
        } finally {
            batches.unpersist(false);
        }
    }

    private static JavaRDD<Batch> ofKind(JavaRDD<TrainingRows.TaggedBatch> batches, boolean isValidation) {
        return batches.filter(batch -> batch.isValidation() == isValidation).map(TrainingRows.TaggedBatch::batch);
    }

    private static long count(JavaRDD<Batch> batches) {
        return batches.map(batch -> (long) batch.rows()).fold(0L, Long::sum);
    }
}
