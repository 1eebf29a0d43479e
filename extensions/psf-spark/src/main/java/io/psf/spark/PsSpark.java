package io.psf.spark;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The cluster of a Spark application. With {@code spark.plugins=io.psf.spark.PsfPlugin} it starts with the application;
 * otherwise {@link #start} starts it.
 *
 * <pre>{@code
 * TensorId w = Tensors.init(PsSpark.client(), TensorSpec.dense("w", 1000));
 * rows.foreachPartition(part -> {
 *     TaskCaller task = PsSpark.client().task(TaskContext.get());
 *     part.forEachRemaining(row -> Tensors.push(task, w, gradient(row)).await());
 * });
 * }</pre>
 */
public final class PsSpark {
    private PsSpark() {}

    /**
     * Returns the client of this process, the driver or an executor. All its tasks share it. It is connected by its
     * first call, which blocks until the cluster is complete. A closure may hold it: where the closure runs, it is the
     * client there.
     */
    public static PsClient client() {
        return PsClient.HERE;
    }

    /**
     * Starts the cluster of an application without the plugin, such as a notebook's: the scheduler in this process, and
     * servers in the executors. Returns at once if the cluster is running. Blocks until all servers are there.
     *
     * @param spark a session of the application, with the settings {@code spark.psf.*}; psf's jar is on its executors'
     *     class path, for example by {@code spark.jars}
     */
    public static void start(SparkSession spark) {
        start(spark.sparkContext());
    }

    /** As {@link #start(SparkSession)}. */
    public static void start(SparkContext context) {
        NotebookCluster.start(context);
    }

    /**
     * Trains in epochs, with a checkpoint after each. If the newest checkpoint has some of them, they are not run: an
     * application that is started again goes on. If a server is lost with its executor, the epoch is repeated once
     * another executor has its place, from the checkpoint before it; so it is if a task fails with {@code
     * OTHER_ATTEMPT}. The tensors equal the tensors of a training without a loss.
     *
     * <pre>{@code
     * ModelCheckpoints checkpoints = ModelCheckpoints.at(PsSpark.client(), "clicks");
     * PsSpark.train(spark, checkpoints, 10, epoch -> rows.foreachPartition(part -> learn(part)));
     * }</pre>
     *
     * <p>A job of an epoch fails if one of its tasks has failed as often as Spark allows, and with it the training.
     * {@link PsClient#task} is the caller for tasks, which may be run several times.
     *
     * @param checkpoints the model's checkpoints below {@code spark.psf.checkpoints}, made of {@link #client()}; of one
     *     model for one training
     * @param epochs the number of epochs in all
     * @throws Exception of an epoch
     */
    public static void train(SparkSession spark, ModelCheckpoints checkpoints, int epochs, EpochWork work)
            throws Exception {
        var unused = trainUntil(spark, checkpoints, epochs, epoch -> {
            work.run(epoch);
            return false;
        });
    }

    /**
     * As {@link #train}, for a training that ends before the last epoch if its work says so.
     *
     * <pre>{@code
     * double[] losses = new double[1 + 50];
     * int epochs = PsSpark.trainUntil(spark, checkpoints, 50, epoch -> {
     *     losses[epoch] = loss(rows);
     *     return epoch > 1 && losses[epoch] > .999 * losses[epoch - 1];
     * });
     * }</pre>
     *
     * @param most the most epochs in all
     * @return the number of epochs in all
     * @throws Exception of an epoch
     */
    public static int trainUntil(SparkSession spark, ModelCheckpoints checkpoints, int most, StoppingWork work)
            throws Exception {
        return Epochs.run(spark.sparkContext(), checkpoints, most, work);
    }

    /**
     * Returns a function for {@code foreachBatch} that trains on each micro-batch of a stream once, by its id. It saves
     * a checkpoint after each. A micro-batch that the newest checkpoint has is passed over: Spark makes it again if the
     * application ends between the checkpoint and Spark's own. If the work fails, or a server is lost in it, the
     * tensors go back to the checkpoint before it.
     *
     * <pre>{@code
     * events.writeStream()
     *         .option("checkpointLocation", "hdfs:///streams/clicks")
     *         .foreachBatch(PsSpark.batches(checkpoints, batch -> batch.foreachPartition(part -> learn(part))))
     *         .start();
     * }</pre>
     *
     * @param checkpoints the model's checkpoints, as in {@link #train}; of one model for one stream
     * @param work trains on the rows of a micro-batch, which has to be the same each time it is computed
     */
    public static VoidFunction2<Dataset<Row>, Long> batches(
            ModelCheckpoints checkpoints, VoidFunction<Dataset<Row>> work) {
        return new Batches(checkpoints, work)::train;
    }

    /**
     * Sets rows of a tensor to the rows of a frame. No optimizer is stepped. A growing table creates missing rows. Rows
     * that the frame does not have stay. Texts become keys by {@code xxhash64(column)} of Spark's functions. Blocks
     * until the rows are set.
     *
     * @param frame with a column {@code key} (bigint, the row's number in the tensor, or any key of a growing table)
     *     and a column {@code vector} (array of float, of the tensor's width); of several rows with a key, any one
     *     counts
     * @param tensor the tensor, which has been initialized
     * @throws IllegalArgumentException if a column is missing or of another type
     */
    public static void write(Dataset<Row> frame, TensorId tensor) {
        RowFrames.write(frame, tensor);
    }

    /**
     * Returns the rows of a tensor as a frame with the columns {@code key} (bigint) and {@code vector} (array of
     * float): all rows, or the existing rows of a growing table. Rows are pulled when the frame is evaluated, a page at
     * a time: each time anew, and each row as it is at that time. Cache the frame, or save a checkpoint, for rows of
     * one time.
     */
    public static Dataset<Row> read(SparkSession spark, TensorId tensor) {
        return RowFrames.read(spark, tensor);
    }

    /**
     * Returns the rows of some keys, as {@link #read(SparkSession, TensorId)} does: a row for each of the frame. A key
     * of a growing table that has no row yields the initial values.
     *
     * @param keys with a column {@code key} (bigint)
     */
    public static Dataset<Row> read(Dataset<Row> keys, TensorId tensor) {
        return RowFrames.read(keys, tensor);
    }
}
