package io.psf.spark.ml;

import java.util.Arrays;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Checks the columns of word vectors. */
final class Columns {
    private Columns() {}

    /** Returns the schema with the column of the vectors. */
    static StructType transform(PsWord2VecParams<?> params, StructType schema) {
        if (!params.isDefined(params.inputCol())) {
            throw new IllegalArgumentException("inputCol: not set (expected: the name of a column of words)");
        }
        String input = params.getInputCol();
        String output = params.getOutputCol();
        if (!Arrays.asList(schema.fieldNames()).contains(input)) {
            throw new IllegalArgumentException(
                    "inputCol: \"" + input + "\" (expected: one of " + Arrays.toString(schema.fieldNames()) + ")");
        }
        DataType type = schema.apply(input).dataType();
        if (!(type instanceof ArrayType words && words.elementType().equals(DataTypes.StringType))) {
            throw new IllegalArgumentException(
                    "column \"" + input + "\": " + type.catalogString() + " (expected: array<string>)");
        }
        if (Arrays.asList(schema.fieldNames()).contains(output)) {
            throw new IllegalArgumentException(
                    "outputCol: \"" + output + "\" (expected: a name that no column has yet)");
        }
        return schema.add(output, SQLDataTypes.VectorType(), true);
    }
}
