package io.psf.spark.ml;

import io.psf.spark.LocalSpark;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Generated rows of sparse vectors, with labels of each kind that linear models of known weights have drawn. */
final class PlantedLabels {
    static final int CLASSES = 4;

    private static final int FIELDS = 6;
    private static final int VALUES = 10;
    /** The features, of which the second half has no part in the labels. */
    static final int SIZE = FIELDS * VALUES;

    private static final StructType SCHEMA = new StructType()
            .add("features", SQLDataTypes.VectorType())
            .add("number", DataTypes.DoubleType)
            .add("wrong", DataTypes.DoubleType)
            .add("count", DataTypes.DoubleType)
            .add("class", DataTypes.DoubleType)
            .add("sign", DataTypes.DoubleType)
            .add("isTest", DataTypes.BooleanType);

    private PlantedLabels() {}

    /**
     * Returns rows: {@code number} is linear but for noise, and {@code wrong} also but for a large number in one of ten
     * rows; {@code count} has Poisson's distribution; {@code class} is one of 4, and {@code sign} 0 or 1.
     */
    static Dataset<Row> rows(int rows, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            int[] indices = new int[FIELDS];
            for (int field = 0; field < FIELDS; field++) {
                indices[field] = field * VALUES + random.nextInt(VALUES);
            }
            double number = margin(indices, 0) + gaussian(random) * .2;
            all.add(RowFactory.create(
                    Vectors.sparse(
                            SIZE,
                            indices,
                            IntStream.range(0, FIELDS).mapToDouble(f -> 1).toArray()),
                    number,
                    random.nextInt(10) == 0 ? number + 20 : number,
                    poisson(random, Math.exp(margin(indices, 0) / 2)),
                    drawn(random, indices),
                    random.nextDouble() < 1 / (1 + Math.exp(-2 * margin(indices, 0))) ? 1.0 : 0.0,
                    random.nextInt(4) == 0));
        }
        return LocalSpark.get().createDataFrame(all, SCHEMA).coalesce(2);
    }

    private static double margin(int[] indices, int output) {
        double margin = .5;
        for (int field = 0; field < FIELDS / 2; field++) {
            margin += new SplittableRandom(31L * indices[field] + output).nextDouble(-1.5, 1.5);
        }
        return margin;
    }

    private static double drawn(SplittableRandom random, int[] indices) {
        double[] odds = IntStream.range(0, CLASSES)
                .mapToDouble(of -> Math.exp(2 * margin(indices, of)))
                .toArray();
        double left = random.nextDouble()
                * IntStream.range(0, CLASSES).mapToDouble(of -> odds[of]).sum();
        int of = 0;
        while (of < CLASSES - 1 && left > odds[of]) {
            left -= odds[of++];
        }
        return of;
    }

    private static double poisson(SplittableRandom random, double mean) {
        int count = -1;
        for (double left = 1; left > Math.exp(-mean); count++) {
            left *= random.nextDouble();
        }
        return count;
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
