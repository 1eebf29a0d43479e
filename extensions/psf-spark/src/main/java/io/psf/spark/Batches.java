package io.psf.spark;

import io.psf.builtin.ModelCheckpoints;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/** A training on the micro-batches of a stream, of which each is an epoch. */
final class Batches {
    private final ModelCheckpoints checkpoints;
    private final VoidFunction<Dataset<Row>> work;
    /** Null before the first micro-batch, and after a failure. */
    private @Nullable Epochs epochs;

    Batches(ModelCheckpoints checkpoints, VoidFunction<Dataset<Row>> work) {
        this.checkpoints = checkpoints;
        this.work = work;
    }

    /** Trains on a micro-batch, unless the newest checkpoint has it or a later one. Blocks until it is saved. */
    synchronized void train(Dataset<Row> batch, long id) throws Exception {
        Epochs known = epochs;
        epochs = null;
        if (known == null) {
            known = new Epochs(checkpoints);
        }
        known.runOne(batch.sparkSession().sparkContext(), id + 1, ignored -> work.call(batch));
        epochs = known;
    }
}
