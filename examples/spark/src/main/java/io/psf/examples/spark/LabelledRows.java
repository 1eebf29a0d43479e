package io.psf.examples.spark;

import java.util.Arrays;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Generated rows of at most 30 features with a label. Few features are in many rows, and most in few. */
final class LabelledRows {
    private static final int FEATURES = 30;

    private LabelledRows() {}

    /**
     * Returns rows of keys below the width, whose labels depend on their keys: columns {@code keys}, {@code label} and
     * {@code isTest}. Each row is the same each time.
     */
    static Dataset<Row> rows(DemoSpark spark, long rows, long width) {
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

    /** Returns rows with a sparse vector in the place of the keys: column {@code features}. */
    static Dataset<Row> vectors(Dataset<Row> rows, int width) {
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
