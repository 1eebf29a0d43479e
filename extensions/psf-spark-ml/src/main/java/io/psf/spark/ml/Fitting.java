package io.psf.spark.ml;

import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.io.Serializable;
import java.util.function.DoubleFunction;
import java.util.function.IntFunction;
import org.apache.spark.api.java.JavaRDD;
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

    /**
     * The result of a training.
     *
     * @param summary how the epochs went
     */
    record Trained(ServedWeights weights, PsTrainingSummary summary) {}

    /**
     * Trains. The rows are in Spark's memory until then, or on its disks.
     *
     * @param kernels returns the model's arithmetic for a number of classes
     * @param rules returns the optimizers for rows that count so often in all
     */
    Trained run(Dataset<Row> data, IntFunction<Kernel> kernels, DoubleFunction<Rules> rules) {
        PsClient caller = PsSpark.client();
        ServedWeights.collectGarbage(uid);
        JavaRDD<InternalRow> input = rows.of(data);
        JavaRDD<TrainingRows.TaggedBatch> batches =
                rows.batches(input).setName(uid + ": rows of training").persist(StorageLevel.MEMORY_AND_DISK());
        try {
            long begin = System.nanoTime();
            RowCounts counts = batches.map(RowCounts::of).fold(RowCounts.NONE, RowCounts::plus);
            counts.check(schedule.validates());
            LOG.info(
                    "{}: {} rows of training, shuffled in {} ms to {} partitions",
                    uid,
                    counts.training().rows(),
                    (System.nanoTime() - begin) / 1_000_000,
                    batches.getNumPartitions());
            Kernel kernel = kernels.apply(counts.classes());
            Table table = Table.of(uid, rows.input().numFeatures(), kernel.width(), saves);
            Rules chosen = rules.apply(counts.training().importance());
            return table.orClear(caller, () -> {
                table.create(
                        caller,
                        kernel.shared(),
                        chosen.rows().optimizer(),
                        chosen.bias().optimizer());
                InitialWeights first = new InitialWeights(table, kernel, chosen);
                if (initial == null) {
                    first.setBias(kernel.begin());
                } else {
                    first.set(data.sparkSession(), initial);
                }
                TableWeights weights = new TableWeights(kernel, table, hasBias);
                Training all = new Training(
                        uid,
                        weights,
                        ofKind(batches, false),
                        ofKind(batches, true),
                        TrainingRows.isRepeatable(input),
                        schedule);
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
}
