package io.psf.spark.ml;

import io.psf.spark.PsfPlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Generated rows of hashed features, whose labels a model of known weights has drawn. */
final class Clicks {
    static final int FIELDS = 8;
    static final int SIZE = 512;

    private static final StructType SCHEMA = new StructType()
            .add("label", DataTypes.DoubleType)
            .add("isTest", DataTypes.BooleanType)
            .add("features", SQLDataTypes.VectorType())
            .add("keys", DataTypes.createArrayType(DataTypes.LongType))
            .add("values", DataTypes.createArrayType(DataTypes.DoubleType));

    private Clicks() {}

    static SparkSession spark() {
        return SparkSession.builder()
                .master("local[2]")
                .appName("estimators")
                .config("spark.ui.enabled", false)
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.plugins", PsfPlugin.class.getName())
                .config("spark.psf.servers", 2)
                .getOrCreate();
    }

    /** Returns rows with features as vectors, and as keys and values. A fifth is for tests. */
    static Dataset<Row> rows(SparkSession spark, int rows, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            int[] indices = new int[FIELDS];
            Long[] keys = new Long[FIELDS];
            double[] values = new double[FIELDS];
            Double[] boxed = new Double[FIELDS];
            double margin = 0;
            for (int field = 0; field < FIELDS; field++) {
                int of = SIZE / FIELDS;
                double u = random.nextDouble();
                indices[field] = field * of + (int) (of * u * u);
                keys[field] = (long) indices[field];
                values[field] = random.nextBoolean() ? 1 : 0.5;
                boxed[field] = values[field];
                margin += values[field] * weight(indices[field]);
            }
            double label = random.nextDouble() < 1 / (1 + Math.exp(-margin)) ? 1 : 0;
            all.add(RowFactory.create(
                    label, random.nextInt(5) == 0, Vectors.sparse(SIZE, indices, values), keys, boxed));
        }
        return spark.createDataFrame(all, SCHEMA).coalesce(2);
    }

    private static double weight(int index) {
        return new SplittableRandom(31L * index).nextDouble(-1.5, 1.5);
    }

    static double auc(Dataset<Row> scored) {
        return new BinaryClassificationEvaluator().evaluate(scored);
    }
}
