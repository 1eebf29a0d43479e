package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.util.SchemaUtils;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The columns that a model adds. An empty name is a column that it does not add.
 *
 * @param raw the column of a number for each class
 * @param probability the column of the probabilities of the classes
 * @param prediction the column of the prediction
 */
record Output(String raw, String probability, String prediction, Loss loss, double threshold) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    StructType append(StructType schema) {
        StructType more = schema;
        if (!raw.isEmpty()) {
            more = SchemaUtils.appendColumn(more, raw, SQLDataTypes.VectorType(), false);
        }
        if (!probability.isEmpty()) {
            more = SchemaUtils.appendColumn(more, probability, SQLDataTypes.VectorType(), false);
        }
        if (!prediction.isEmpty()) {
            more = SchemaUtils.appendColumn(more, prediction, DataTypes.DoubleType, false);
        }
        return more;
    }

    /** Sets the columns of a row from {@code at} on, by its margins. */
    void set(Object[] row, int at, float[] margins, int from) {
        int column = at;
        if (!raw.isEmpty()) {
            row[column++] = Vectors.dense(((ClassLoss) loss).raw(margins, from));
        }
        if (!probability.isEmpty()) {
            row[column++] = Vectors.dense(((ClassLoss) loss).probabilities(margins, from));
        }
        if (!prediction.isEmpty()) {
            row[column] = loss.predict(margins, from, threshold);
        }
    }
}
