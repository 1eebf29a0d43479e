package io.psf.spark.ml;

import java.util.function.BiFunction;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.SparkSession;

/**
 * Reads models that were saved. A model that fits into the driver has its weights itself; the weights of a wider one are
 * put on the servers, by tasks, and nothing of them comes through the driver.
 *
 * <pre>{@code
 * PsLogisticRegressionModel wide = PsLogisticRegressionModel.read().onServers().load("hdfs:///models/clicks");
 * }</pre>
 *
 * <p>In a pipeline the setting {@code spark.psf.loadOnServers} of the session says the same.
 *
 * @param <M> the model
 */
public final class PsModelReader<M extends PsScorer<M>> extends MLReader<M> {
    private static final String ON_SERVERS = "spark.psf.loadOnServers";

    private final Class<M> type;
    private final BiFunction<String, Weights, M> making;
    private boolean onServers;

    /**
     * Makes a reader.
     *
     * @param making makes a model without params, of its uid and weights
     */
    PsModelReader(Class<M> type, BiFunction<String, Weights, M> making) {
        this.type = type;
        this.making = making;
    }

    /** Lets {@link #load} put the weights on the servers, until the model is released. */
    public PsModelReader<M> onServers() {
        onServers = true;
        return this;
    }

    @Override
    public PsModelReader<M> session(SparkSession spark) {
        super.session(spark);
        return this;
    }

    /** Reads a model. Blocks until it scores. */
    @Override
    public M load(String path) {
        SparkSession spark = sparkSession();
        DefaultParamsReader.Metadata metadata = StageFiles.read(path, spark, type);
        boolean isServed = onServers || Boolean.parseBoolean(spark.conf().get(ON_SERVERS, "false"));
        M model = making.apply(metadata.uid(), new ModelFiles(spark, path).read(metadata.uid(), isServed));
        metadata.getAndSetParams(model, scala.Option.empty());
        return model;
    }
}
