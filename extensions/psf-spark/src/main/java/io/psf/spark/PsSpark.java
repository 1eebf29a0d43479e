package io.psf.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * The cluster of a Spark application. With {@code spark.plugins=io.psf.spark.PsfPlugin} it starts with the application;
 * otherwise {@link #start} starts it.
 *
 * <pre>{@code
 * TensorId w = Tensors.init(PsSpark.client(), TensorSpec.dense("w", 1000));
 * rows.foreachPartition(part -> {
 *     PsTask task = PsSpark.client().task(TaskContext.get());
 *     part.forEachRemaining(row -> Tensors.push(task, w, gradient(row)).await());
 * });
 * }</pre>
 */
public final class PsSpark {
    private PsSpark() {}

    /**
     * Returns the client of this process, the driver or an executor. All its tasks share it. It is connected by its first call,
     * which blocks until the cluster is complete. A closure may hold it: where the closure runs, it is the client there.
     */
    public static PsClient client() {
        return PsClient.HERE;
    }

    /**
     * Starts the cluster of an application without the plugin, such as a notebook's: the scheduler in this process, and servers
     * in the executors. Returns at once if the cluster is running. Blocks until all servers are there.
     *
     * @param spark a session of the application, with the settings {@code spark.psf.*}; psf's jar is on its executors' class
     *     path, for example by {@code spark.jars}
     */
    public static void start(SparkSession spark) {
        start(spark.sparkContext());
    }

    /** As {@link #start(SparkSession)}. */
    public static void start(SparkContext context) {
        NotebookCluster.start(context);
    }
}
