package io.psf.spark.ml;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import io.psf.spark.rows.InternalRows;
import java.util.Locale;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fit by alternating least squares: the factors of all users from those of the items, then those of all items from
 * those of the users, which lowers the loss each time. The factors are on the servers; the driver has sums of {@code
 * rank} by {@code rank}.
 *
 * @param uid of the estimator
 * @param rating the column of the ratings
 * @param first has the initial factors of items
 * @param alpha what a rating of 1 adds to the weight of a pair, which is 1 without a rating
 * @param strength of the regularization
 * @param initial the model whose items' factors the training begins with; null for random ones
 * @param partitions the partitions of the ratings; 0 for those of the input, at least one for each core
 * @param saves true if each epoch ends with a checkpoint
 */
record Alternating(
        String uid,
        String rating,
        FactorKernel first,
        double alpha,
        double strength,
        @Nullable Weights initial,
        int partitions,
        int epochs,
        boolean saves) {
    private static final Logger LOG = LoggerFactory.getLogger(Alternating.class);
    /** The most floats of the rows of a page, and the most ratings. */
    private static final int FLOATS = 1 << 22;

    private static final int RATINGS = 1 << 18;

    /** Trains on a frame of {@link Ratings#withKeys}. The ratings are in Spark's memory twice until then. */
    Fitting.Trained run(Dataset<Row> data) {
        ServedWeights.collectGarbage(uid);
        PsClient caller = PsSpark.client();
        JavaRDD<InternalRow> input = InternalRows.of(data);
        JavaRDD<RatingPage> byUser = pages(data, input, false);
        JavaRDD<RatingPage> byItem = pages(data, input, true);
        Table table = Table.of(uid, 0, first.width(), saves);
        try {
            return table.orClear(caller, () -> {
                OptimizerSpec add = Optimizers.add();
                table.create(caller, 1, add, add);
                if (initial != null) {
                    Dataset<Row> unbiased = initial.frame(data.sparkSession()).withColumn("weight", functions.lit(0f));
                    PsSpark.write(WeightFrames.vectors(unbiased, first), table.rows());
                }
                EpochLoop loop = new EpochLoop(data.sparkSession(), table.name(), saves);
                return train(loop, table, byUser, byItem, TrainingRows.isRepeatable(input));
            });
        } finally {
            byUser.unpersist(false);
            byItem.unpersist(false);
        }
    }

    private JavaRDD<RatingPage> pages(Dataset<Row> data, JavaRDD<InternalRow> input, boolean ofItems) {
        int wanted = TrainingRows.partitions(input, partitions);
        int most = Math.max(1, Math.min(RATINGS, FLOATS / first.width()));
        return RatingPage.of(data, rating, ofItems, wanted, most)
                .setName(uid + ": ratings by " + (ofItems ? "item" : "user"))
                .persist(StorageLevel.MEMORY_AND_DISK());
    }

    private Fitting.Trained train(
            EpochLoop loop, Table table, JavaRDD<RatingPage> byUser, JavaRDD<RatingPage> byItem, boolean isRepeatable) {
        HalfStep.Solved begin = sum(byItem.mapPartitions(new FirstFactors(table, first)));
        if (begin.measure().rows() == 0) {
            throw new IllegalArgumentException("rows of training with a rating other than 0: 0 (expected: at least 1)");
        }
        double[][] items =
                new double[epochs + 1][]; // an epoch that is repeated begins with those of the epoch before it
        items[0] = begin.ofAll();
        History history = new History(epochs);
        int done = loop.run(uid, epochs, table.tensors(), epoch -> {
            double[] users = sum(byUser.mapPartitions(
                            new HalfStep(table, items[epoch - 1], alpha, strength, isRepeatable)))
                    .ofAll();
            HalfStep.Solved solved =
                    sum(byItem.mapPartitions(new HalfStep(table, users, alpha, strength, isRepeatable)));
            items[epoch] = solved.ofAll();
            history.set(epoch, solved.measure(), null);
            LOG.info(
                    "{}: epoch {} of {}: loss {}",
                    uid,
                    epoch,
                    epochs,
                    String.format(Locale.ROOT, "%.6f", solved.measure().meanLoss()));
            return false;
        });
        TableWeights weights = new TableWeights(FactorKernel.ofMargins(first.factors()), table, false);
        return new Fitting.Trained(new ServedWeights(weights, loop.servers()), history.until(done, false, false));
    }

    private HalfStep.Solved sum(JavaRDD<HalfStep.Solved> parts) {
        int rank = first.factors();
        return parts.fold(new HalfStep.Solved(new double[rank * rank], Measure.NONE), HalfStep.Solved::plus);
    }
}
