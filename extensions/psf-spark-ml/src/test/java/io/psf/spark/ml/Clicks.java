package io.psf.spark.ml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
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

    /** Returns the folders of the checkpoints of an estimator's fits, newest first. */
    static List<Path> steps(Path checkpoints, String uid) throws IOException {
        try (Stream<Path> files = Files.walk(checkpoints)) {
            return files.filter(
                            file -> checkpoints.relativize(file).toString().matches("fits/" + uid + "[^/]*/step-\\d+"))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
    }

    /** Returns the area under the ROC curve. */
    static double auc(Dataset<Row> scored) {
        List<double[]> rows = new ArrayList<>(scored.select("rawPrediction", "label").collectAsList().stream()
                .map(row -> new double[] {((Vector) row.get(0)).apply(1), row.getDouble(1)})
                .toList());
        rows.sort(Comparator.comparingDouble(row -> row[0]));
        double zeros = 0;
        double pairs = 0;
        for (double[] row : rows) { // margins of different rows are taken to differ
            zeros += 1 - row[1];
            pairs += row[1] * zeros;
        }
        return pairs / (zeros * (rows.size() - zeros));
    }
}
