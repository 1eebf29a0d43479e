package io.psf.examples.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import io.psf.spark.ml.PsFeatureHasher;
import io.psf.spark.ml.PsLogisticRegression;
import io.psf.spark.ml.PsLogisticRegressionModel;
import java.util.Locale;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * A model of clicks by an estimator: categories are hashed to keys of 64 bits, and their weights are a growing table on
 * the servers. An executor is killed during the training, of which an epoch is repeated.
 */
final class ClickModel {
    private ClickModel() {}

    /** Trains a model, and returns the area under its ROC curve, on rows that it has not seen. */
    static double run(DemoSpark spark, long rows, boolean kill) {
        Dataset<Row> keys =
                new PsFeatureHasher().setInputCols("user", "page", "hour").transform(impressions(spark, rows));
        PsLogisticRegression regression = new PsLogisticRegression()
                .setKeysCol("keys")
                .setLabelCol("clicked")
                .setMaxIter(5);
        if (kill) {
            spark.killOneInJob(4); // an epoch in the middle
        }
        spark.say(
                "trains on " + rows + " impressions, in " + regression.getOrDefault(regression.maxIter()) + " epochs");
        PsLogisticRegressionModel model = regression.fit(keys.where("not isTest"));
        double auc = new BinaryClassificationEvaluator()
                .setLabelCol("clicked")
                .evaluate(model.transform(keys.where("isTest")));
        spark.say(
                String.format(Locale.ROOT, "AUC %.3f after %d epochs, of %d keys", auc, model.epochs(), weights(keys)));
        model.release();
        return auc;
    }

    private static long weights(Dataset<Row> keys) {
        return keys.where("not isTest")
                .selectExpr("explode(keys) as key")
                .distinct()
                .count();
    }

    /** Returns impressions, whose clicks depend on the user, the page and the hour; each row is the same each time. */
    private static Dataset<Row> impressions(DemoSpark spark, long rows) {
        return spark.session()
                .range(0, rows, 1, 4)
                .withColumn("user", expr("concat('u', int(pow(5e3, (xxhash64(id, 1) & 65535) / 65536D)))"))
                .withColumn("page", expr("concat('p', int(pow(2e3, (xxhash64(id, 2) & 65535) / 65536D)))"))
                .withColumn("hour", expr("int(xxhash64(id, 3) & 15)"))
                .withColumn("logit", expr(liking("user") + " + " + liking("page") + " + " + liking("hour") + " - 1"))
                .withColumn("clicked", expr("double((xxhash64(id, 4) & 65535) / 65536D < 1 / (1 + exp(-logit)))"))
                .withColumn("isTest", expr("(xxhash64(id, 5) & 3) = 0"))
                .select(col("user"), col("page"), col("hour"), col("clicked"), col("isTest"));
    }

    /** Returns an expression from -2 to 2. */
    private static String liking(String column) {
        return "((xxhash64('liking', " + column + ") & 65535) / 16384D - 2)";
    }
}
