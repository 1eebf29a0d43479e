package io.psf.spark.ml;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;

/** Columns of categories as keys of one table: the keys of {@link PsFeatureHasher}, with the column's number in 8 bits. */
final class Fields {
    /** The column of the keys of a row. */
    static final String KEYS = "keys of columns";

    static final int MOST = 1 << 8;

    private Fields() {}

    static Input input() {
        return new Input("", KEYS, "", 0);
    }

    static void check(String[] columns, StructType schema) {
        if (columns.length > MOST) {
            throw new IllegalArgumentException("inputCols: " + columns.length + " (expected: at most " + MOST + ")");
        }
        PsFeatureHasher.check(columns, schema);
    }

    static Dataset<Row> withKeys(String[] columns, Dataset<?> data) {
        Column[] keys = new Column[columns.length];
        for (int i = 0; i < columns.length; i++) {
            Column field = functions.lit((long) i);
            keys[i] = functions.transform(
                    PsFeatureHasher.keys(columns[i], data.schema()),
                    key -> functions
                            .shiftleft(key, Integer.numberOfTrailingZeros(MOST))
                            .bitwiseOR(field));
        }
        return data.withColumn(KEYS, functions.concat(keys));
    }

    /** Returns the number of a key's column. */
    static int of(long key) {
        return (int) (key & MOST - 1);
    }
}
