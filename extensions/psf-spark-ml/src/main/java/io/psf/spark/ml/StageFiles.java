package io.psf.spark.ml;

import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** Spark's files of a stage: its class, uid and params. The calls are those that Spark 3.5 has, too. */
@SuppressWarnings("deprecation")
final class StageFiles {
    private StageFiles() {}

    static void write(Params stage, String path, SparkSession spark) {
        DefaultParamsWriter$.MODULE$.saveMetadata(stage, path, spark.sparkContext(), Option.empty(), Option.empty());
    }

    /**
     * Reads what is known of a stage.
     *
     * @param type the class that the stage has to be of
     */
    static DefaultParamsReader.Metadata read(String path, SparkSession spark, Class<?> type) {
        return DefaultParamsReader$.MODULE$.loadMetadata(path, spark.sparkContext(), type.getName());
    }

    /** Reads a stage of any class. */
    static Object load(String path, SparkSession spark) {
        return DefaultParamsReader$.MODULE$.loadParamsInstance(path, spark.sparkContext());
    }
}
