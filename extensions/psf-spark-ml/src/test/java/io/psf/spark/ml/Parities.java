package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Generated rows whose label is the parity of three categories, but for one row in ten: no pair of the categories says
 * anything.
 */
final class Parities {
    private static final int ROWS = 8_000;
    private static final int CATEGORIES = 6;

    private Parities() {}

    /** Returns the estimator that learns them. */
    static PsDeepFM estimator() {
        return new PsDeepFM()
                .setInputCols("site", "device", "words")
                .setMaxIter(8)
                .setHiddenLayers(16, 8);
    }

    /** Returns the rows. A fifth is for tests. */
    static Dataset<Row> rows(SparkSession spark) {
        SplittableRandom random = new SplittableRandom(3);
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            int site = random.nextInt(CATEGORIES);
            int device = random.nextInt(CATEGORIES);
            int word = random.nextInt(CATEGORIES);
            int parity = site + device + word & 1;
            int label = random.nextInt(10) == 0 ? 1 - parity : parity;
            all.add(RowFactory.create(
                    "site" + site, device, new String[] {"word" + word, "the"}, label, random.nextInt(5) == 0));
        }
        return spark.createDataFrame(
                        all,
                        new StructType()
                                .add("site", DataTypes.StringType)
                                .add("device", DataTypes.IntegerType)
                                .add("words", DataTypes.createArrayType(DataTypes.StringType))
                                .add("label", DataTypes.IntegerType)
                                .add("isTest", DataTypes.BooleanType))
                .coalesce(2);
    }

    /** Returns the area under the ROC curve. */
    static double auc(Dataset<Row> scored) {
        return Clicks.auc(scored.withColumn("label", expr("double(label)")));
    }

    /** Returns the probabilities of the classes, of each row. */
    static List<Row> probabilities(Dataset<Row> scored) {
        return scored.select("probability").collectAsList();
    }
}
