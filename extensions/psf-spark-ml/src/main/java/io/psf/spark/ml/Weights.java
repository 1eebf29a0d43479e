package io.psf.spark.ml;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The weights of a model. */
interface Weights extends Margins {
    /** Returns the model's arithmetic. */
    Kernel kernel();

    /** Returns the weights that are not 0, with the columns of {@link WeightFrames}. */
    Dataset<Row> frame(SparkSession spark);
}
