package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/**
 * The columns that an estimator or model reads.
 *
 * @param features the column of vectors; unused if there are keys
 * @param keys the column of arrays of keys; empty for vectors
 * @param values the column of arrays of values; empty if all are 1
 * @param numFeatures keys are in [0, numFeatures); 0 for any
 */
record Input(String features, String keys, String values, long numFeatures) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    boolean hasKeys() {
        return !keys.isEmpty();
    }

    boolean hasValues() {
        return !values.isEmpty();
    }

    /** Returns the column that has the keys, for messages. */
    String place() {
        return hasKeys() ? "keys column \"" + keys + "\"" : "features column \"" + features + "\"";
    }

    String valuesPlace() {
        return hasValues() ? "values column \"" + values + "\"" : place();
    }

    /** Returns the same input with a number of features. */
    Input withNumFeatures(long number) {
        return new Input(features, keys, values, number);
    }

    /** Returns the same input with the number of features, which is the size of the vectors if it is not set. */
    Input sized(Dataset<?> data) {
        if (hasKeys() || numFeatures > 0) {
            return this;
        }
        int known =
                AttributeGroup.fromStructField(data.schema().apply(features)).size();
        if (known > 0) {
            return withNumFeatures(known);
        }
        Dataset<Row> vectors = data.select(columns().toArray(Column[]::new));
        return vectors.takeAsList(1).stream()
                .map(row -> row.isNullAt(0) ? this : withNumFeatures(((Vector) row.get(0)).size()))
                .findFirst()
                .orElse(this);
    }

    /** Checks the columns' types. */
    void check(StructType schema) {
        if (!hasKeys()) {
            if (hasValues()) {
                throw new IllegalArgumentException("keysCol: \"\", valuesCol: \"" + values
                        + "\" (expected: keysCol, too, or neither, for the vectors of featuresCol)");
            }
            DataType type = type(schema, "features", features);
            if (!type.equals(SQLDataTypes.VectorType())) {
                throw wrong("features", features, type, "vectors; keysCol has arrays of keys");
            }
            return;
        }
        DataType type = type(schema, "keys", keys);
        if (!(type instanceof ArrayType array
                && (array.elementType() instanceof LongType || array.elementType() instanceof IntegerType))) {
            throw wrong("keys", keys, type, "array<bigint>");
        }
        if (hasValues()) {
            DataType numbers = type(schema, "values", values);
            if (!(numbers instanceof ArrayType list && list.elementType() instanceof NumericType)) {
                throw wrong("values", values, numbers, "array<float> or array<double>");
            }
        }
    }

    static void checkNumeric(StructType schema, String what, String column) {
        DataType type = type(schema, what, column);
        if (!(type instanceof NumericType || type instanceof BooleanType)) {
            throw wrong(what, column, type, "a number");
        }
    }

    static void checkBoolean(StructType schema, String what, String column) {
        DataType type = type(schema, what, column);
        if (!(type instanceof BooleanType)) {
            throw wrong(what, column, type, "boolean");
        }
    }

    static DataType type(StructType schema, String what, String column) {
        if (!List.of(schema.fieldNames()).contains(column)) {
            throw new IllegalArgumentException(
                    what + " column \"" + column + "\": none (expected: one of " + List.of(schema.fieldNames()) + ")");
        }
        return schema.apply(column).dataType();
    }

    static IllegalArgumentException wrong(String what, String column, DataType type, String expected) {
        return new IllegalArgumentException(
                what + " column \"" + column + "\": " + type.catalogString() + " (expected: " + expected + ")");
    }

    /**
     * Returns a frame of the label and the weight as doubles, the boolean of validation, and the features' columns. A
     * weight that is not named is 1, and such a validation false.
     */
    Dataset<Row> select(Dataset<?> data, String label, String weight, String validation) {
        List<Column> columns = new ArrayList<>();
        columns.add(quoted(label).cast(DataTypes.DoubleType));
        columns.add(weight.isEmpty() ? functions.lit(1.0) : quoted(weight).cast(DataTypes.DoubleType));
        columns.add(validation.isEmpty() ? functions.lit(false) : quoted(validation));
        columns.addAll(columns());
        return data.select(columns.toArray(Column[]::new));
    }

    /** Returns the columns of the features: vectors, or keys as int64 and values as float32. */
    List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        if (!hasKeys()) {
            columns.add(quoted(features));
            return columns;
        }
        columns.add(quoted(keys).cast(DataTypes.createArrayType(DataTypes.LongType)));
        if (hasValues()) {
            columns.add(quoted(values).cast(DataTypes.createArrayType(DataTypes.FloatType)));
        }
        return columns;
    }

    static Column quoted(String name) {
        return functions.col("`" + name.replace("`", "``") + "`");
    }
}
