package io.psf.spark.rows;

import java.lang.reflect.InvocationTargetException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.StructType;

/**
 * Frames as the rows that Spark has inside, without objects for each row. Spark 3.5 has the methods in the classes of the
 * API, Spark 4 in classes behind them: they are found by their names.
 */
public final class InternalRows {
    private InternalRows() {}

    /**
     * Returns the rows of a frame.
     *
     * @throws IllegalArgumentException if the frame is of Spark Connect
     */
    public static JavaRDD<InternalRow> of(Dataset<?> frame) {
        try {
            QueryExecution execution = (QueryExecution)
                    frame.getClass().getMethod("queryExecution").invoke(frame);
            return execution.toRdd().toJavaRDD();
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw ofAnotherProcess("frame", frame, e);
        }
    }

    /** Returns a frame of rows. */
    @SuppressWarnings("unchecked")
    public static Dataset<Row> frame(SparkSession spark, JavaRDD<InternalRow> rows, StructType schema) {
        try {
            return (Dataset<Row>) spark.getClass()
                    .getMethod("internalCreateDataFrame", RDD.class, StructType.class, boolean.class)
                    .invoke(spark, rows.rdd(), schema, false);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw ofAnotherProcess("session", spark, e);
        }
    }

    private static IllegalArgumentException ofAnotherProcess(String what, Object found, Exception e) {
        return new IllegalArgumentException(
                what + ": of " + found.getClass().getName()
                        + " (expected: of a session in this process, not of Spark Connect)",
                e);
    }
}
