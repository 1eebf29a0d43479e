package io.psf.examples.spark;

import io.psf.spark.ml.PsLogisticRegression;
import io.psf.spark.ml.PsLogisticRegressionModel;
import java.util.Arrays;
import java.util.Locale;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Logistic regression by psf and by Spark's MLlib, on the same rows of 30 features: times and areas under the ROC
 * curve. Few features are in many rows, and most in few.
 */
final class BesideMllib {
    private static final int FEATURES = 30;
    private static final double STRENGTH = 1e-4;

    private BesideMllib() {}

    /** Trains by psf and by MLlib, with 2 to the power of the width features. */
    static void run(DemoSpark spark, long rows, int width) {
        Dataset<Row> all = rows(spark, rows, 1L << width).persist();
        Dataset<Row> vectors = vectors(all, 1 << width).persist();
        spark.say("2^" + width + " features, " + all.count() + " rows, " + vectors.count() + " vectors");
        learn(spark, width, all, vectors);
    }

    private static void learn(DemoSpark spark, int width, Dataset<Row> all, Dataset<Row> vectors) {
        PsLogisticRegression psf = new PsLogisticRegression()
                .setKeysCol("keys")
                .setNumFeatures(1L << width)
                .setMaxIter(5)
                .setCheckpoints(false)
                .setRegParam(STRENGTH);
        LogisticRegression mllib = new LogisticRegression()
                .setStandardization(false)
                .setMaxIter(50)
                .setRegParam(STRENGTH);
        long begin = System.nanoTime();
        PsLogisticRegressionModel model = psf.fit(all.where("not isTest"));
        double seconds = (System.nanoTime() - begin) / 1e9;
        double auc = auc(model.transform(all.where("isTest")));
        model.release();
        spark.say(String.format(Locale.ROOT, "psf: %.1f s, AUC %.3f", seconds, auc));
        begin = System.nanoTime();
        try {
            Dataset<Row> scored = mllib.fit(vectors.where("not isTest")).transform(vectors.where("isTest"));
            double other = (System.nanoTime() - begin) / 1e9;
            spark.say(String.format(
                    Locale.ROOT,
                    "MLlib: %.1f s, AUC %.3f; psf is %.1f times as fast",
                    other,
                    auc(scored),
                    other / seconds));
        } catch (Exception | OutOfMemoryError e) { // the driver or an executor lacks memory
            spark.say(String.format(
                    Locale.ROOT,
                    "MLlib: fails after %.1f s: %s",
                    (System.nanoTime() - begin) / 1e9,
                    String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString())));
        }
    }

    private static double auc(Dataset<Row> scored) {
        return new BinaryClassificationEvaluator().evaluate(scored);
    }

    /** Returns rows of keys below the width, whose labels depend on their keys; each row is the same each time. */
    private static Dataset<Row> rows(DemoSpark spark, long rows, long width) {
        String uniform = "(xxhash64(id, j) & 4294967295L) / 4294967296D";
        return spark.session()
                .range(0, rows, 1, 4)
                .selectExpr(
                        "id",
                        "array_sort(array_distinct(transform(sequence(1, " + FEATURES + "), j -> " + "bigint(pow("
                                + width + "D, " + uniform + ")) - 1))) as keys")
                .selectExpr(
                        "keys",
                        "aggregate(keys, 0D, (sum, key) -> sum + (xxhash64('weight', key) & 65535) / 65536D - .5) as logit",
                        "(xxhash64(id, 'coin') & 65535) / 65536D as coin",
                        "(xxhash64(id, 'test') & 7) = 0 as isTest")
                .selectExpr("keys", "double(coin < 1 / (1 + exp(-2 * logit))) as label", "isTest");
    }

    private static Dataset<Row> vectors(Dataset<Row> rows, int width) {
        StructType schema = new StructType()
                .add("features", SQLDataTypes.VectorType())
                .add("label", DataTypes.DoubleType)
                .add("isTest", DataTypes.BooleanType);
        MapFunction<Row, Row> vector = row -> {
            int[] keys = row.<Long>getList(0).stream().mapToInt(Long::intValue).toArray();
            double[] ones = new double[keys.length];
            Arrays.fill(ones, 1);
            return RowFactory.create(Vectors.sparse(width, keys, ones), row.get(1), row.get(2));
        };
        return rows.map(vector, Encoders.row(schema));
    }
}
