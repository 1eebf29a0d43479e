package io.psf.spark.ml;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.shiftleft;
import static org.apache.spark.sql.functions.when;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Users and items as the keys of one table: twice the user, and twice the item and one. */
final class Ratings {
    /** The column of the keys of a row. */
    static final String KEYS = "keys of user and item";

    private static final long LIMIT = 1L << 62;
    private static final List<DataType> IDS =
            List.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);

    private Ratings() {}

    static Input input() {
        return new Input("", KEYS, "", 0);
    }

    static void check(PsRatingParams<?> params, StructType schema) {
        check(schema, "user", params.getUserCol());
        check(schema, "item", params.getItemCol());
    }

    private static void check(StructType schema, String what, String column) {
        DataType type = Input.type(schema, what, column);
        if (!IDS.contains(type)) {
            throw Input.wrong(what, column, type, "bigint, or another whole number");
        }
    }

    static Dataset<Row> withKeys(PsRatingParams<?> params, Dataset<?> data) {
        Column user = key("user", params.getUserCol());
        Column item = key("item", params.getItemCol());
        return data.withColumn(KEYS, array(user, item.plus(1)));
    }

    /** Returns the distinct keys of a column of users or of items, as column {@code key}. */
    static Dataset<Row> keys(Dataset<?> data, String what, String column, boolean ofItems) {
        check(data.schema(), what, column);
        return data.select(key(what, column).plus(ofItems ? 1 : 0).as("key"))
                .where("key is not null")
                .distinct();
    }

    /** Returns the keys of users or of items, of a frame with a column {@code key}. */
    static Dataset<Row> keys(Dataset<Row> weights, boolean ofItems) {
        return weights.select("key").where(isOf(ofItems));
    }

    /** Returns the user or item of a key. */
    static long id(long key) {
        return key >> 1;
    }

    private static String isOf(boolean ofItems) {
        return "(key & 1) = " + (ofItems ? 1 : 0);
    }

    private static Column key(String what, String column) {
        Column id = Input.quoted(column).cast(DataTypes.LongType);
        Column message = concat(
                lit(what + " column \"" + column + "\": "),
                id.cast(DataTypes.StringType),
                lit(" (expected: -2^62 to 2^62 - 1, as shiftright(xxhash64(..), 1) is)"));
        return when(id.between(-LIMIT, LIMIT - 1).or(id.isNull()), shiftleft(id, 1))
                .otherwise(raise_error(message).cast(DataTypes.LongType));
    }

    /** Returns the weights of users or of items, with the columns {@code id}, {@code features} and {@code bias}. */
    static Dataset<Row> factors(Dataset<Row> weights, boolean ofItems) {
        return weights.where(isOf(ofItems))
                .selectExpr("shiftright(key, 1) as id", "factors as features", "weight as bias");
    }
}
