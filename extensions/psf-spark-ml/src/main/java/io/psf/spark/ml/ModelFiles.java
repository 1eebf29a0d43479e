package io.psf.spark.ml;

import java.util.List;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The files of a saved model: Spark's metadata in {@code metadata}; the biases, the number of factors and a network in {@code
 * model}; the weights in {@code weights}, with the columns of {@link WeightFrames}, written and read by tasks.
 *
 * @param spark the session that reads or writes them
 */
record ModelFiles(SparkSession spark, String path) {
    private static final StructType OF_MODEL = new StructType()
            .add("bias", DataTypes.createArrayType(DataTypes.FloatType, false), false)
            .add("factors", DataTypes.IntegerType, false)
            .add("layers", DataTypes.createArrayType(DataTypes.IntegerType, false), false);

    private String model() {
        return path + "/model";
    }

    private String weights() {
        return path + "/weights";
    }

    private void write(Weights weights) {
        Kernel kernel = weights.kernel();
        Row ofModel = RowFactory.create(weights.bias(), kernel.width() - kernel.outputs(), kernel.layers());
        spark.createDataFrame(List.of(ofModel), OF_MODEL).coalesce(1).write().parquet(model());
        weights.frame(spark).write().parquet(weights());
    }

    /** Reads the weights of a model, to the servers or into this process. */
    Weights read(String uid, boolean onServers) {
        Row ofModel = spark.read().parquet(model()).head();
        List<Float> biases = ofModel.getList(0);
        float[] bias = new float[biases.size()];
        for (int i = 0; i < bias.length; i++) {
            bias[i] = biases.get(i);
        }
        List<Integer> layers = ofModel.getList(2);
        Kernel kernel = kernel(
                bias, ofModel.getInt(1), layers.stream().mapToInt(size -> size).toArray());
        Dataset<Row> rows = spark.read().schema(WeightFrames.schema(kernel)).parquet(weights());
        return onServers ? ServedWeights.store(uid, rows, kernel, bias) : WeightFrames.collect(rows, kernel, bias);
    }

    private static Kernel kernel(float[] bias, int factors, int[] layers) {
        if (factors == 0) {
            return LinearKernel.ofMargins(bias.length);
        }
        return layers.length == 0 ? FactorKernel.ofMargins(factors) : DeepKernel.ofMargins(factors, layers);
    }

    /** Writes a model. */
    static final class Writer extends MLWriter {
        private final PsScorer<?> model;
        private final Weights weights;

        Writer(PsScorer<?> model, Weights weights) {
            this.model = model;
            this.weights = weights;
        }

        @Override
        public void saveImpl(String path) {
            StageFiles.write(model, path, sparkSession());
            new ModelFiles(sparkSession(), path).write(weights);
        }
    }
}
