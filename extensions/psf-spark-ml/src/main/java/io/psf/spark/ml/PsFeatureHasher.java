package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import java.util.Set;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.SchemaUtils;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/**
 * Makes keys of categories: a row's keys are the hashes of 64 bits (XXH64) of its columns' names and values. Each value
 * is a category, a number as well as a text. A whole number is the same category as tinyint, smallint, int and bigint; as
 * a text or a double it is another one. A column of arrays has a key for each element. Null has no key.
 *
 * <pre>{@code
 * PsFeatureHasher hasher = new PsFeatureHasher().setInputCols("site", "device", "words").setOutputCol("keys");
 * PsLogisticRegression regression = new PsLogisticRegression().setKeysCol("keys");
 * PipelineModel model = new Pipeline().setStages(new PipelineStage[] {hasher, regression}).fit(impressions);
 * }</pre>
 */
public final class PsFeatureHasher extends Transformer implements DefaultParamsWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private static final Set<DataType> NARROW = Set.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType);

    private final String uid;
    private final StringArrayParam inputCols;
    private final Param<String> outputCol;

    /** Creates a transformer. */
    public PsFeatureHasher() {
        this(Identifiable$.MODULE$.randomUID("psHasher"));
    }

    /**
     * Creates a transformer with an id.
     *
     * @param uid its id
     */
    public PsFeatureHasher(String uid) {
        this.uid = uid;
        this.inputCols = inputCols(this);
        this.outputCol = new Param<>(this, "outputCol", "column of arrays of keys");
        setDefault(inputCols, new String[0]);
        setDefault(outputCol, "keys");
    }

    static StringArrayParam inputCols(Params of) {
        return new StringArrayParam(of, "inputCols", "columns of categories");
    }

    @Override
    public String uid() {
        return uid;
    }

    /** Returns the param of the columns of categories. */
    public StringArrayParam inputCols() {
        return inputCols;
    }

    /** Returns the param of the column of keys. */
    public Param<String> outputCol() {
        return outputCol;
    }

    /** Sets the columns of categories. */
    public PsFeatureHasher setInputCols(String... columns) {
        set(inputCols, columns.clone());
        return this;
    }

    /** Sets the column of keys; {@code keys} by default. */
    public PsFeatureHasher setOutputCol(String column) {
        set(outputCol, column);
        return this;
    }

    /** Checks columns of categories. */
    static void check(String[] columns, StructType schema) {
        if (columns.length == 0) {
            throw new IllegalArgumentException("inputCols: none (expected: at least one column)");
        }
        for (String column : columns) {
            DataType type = Input.type(schema, "input", column);
            DataType element = type instanceof ArrayType array ? array.elementType() : type;
            if (element instanceof ArrayType || element instanceof MapType || element instanceof StructType) {
                throw Input.wrong("input", column, type, "a text, a number or an array of them");
            }
        }
    }

    /** Returns the keys of a column of categories: an array, which has none for null. */
    static Column keys(String name, StructType schema) {
        Column column = Input.quoted(name);
        Column prefix = functions.lit(name);
        Column none = functions.array().cast(DataTypes.createArrayType(DataTypes.LongType));
        DataType type = schema.apply(name).dataType();
        Column some = type instanceof ArrayType array
                ? functions.transform(
                        functions.array_compact(column),
                        element -> functions.xxhash64(prefix, wide(element, array.elementType())))
                : functions.array(functions.xxhash64(prefix, wide(column, type)));
        return functions.when(column.isNull(), none).otherwise(some);
    }

    /** Returns whole numbers as bigint: Spark's hash of a number depends on its type. */
    private static Column wide(Column values, DataType type) {
        return NARROW.contains(type) ? values.cast(DataTypes.LongType) : values;
    }

    @Override
    public StructType transformSchema(StructType schema) {
        check(getOrDefault(inputCols), schema);
        return SchemaUtils.appendColumn(
                schema, getOrDefault(outputCol), DataTypes.createArrayType(DataTypes.LongType, false), false);
    }

    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        transformSchema(data.schema());
        Column[] keys = Arrays.stream(getOrDefault(inputCols))
                .map(name -> keys(name, data.schema()))
                .toArray(Column[]::new);
        return data.withColumn(getOrDefault(outputCol), functions.concat(keys));
    }

    @Override
    public PsFeatureHasher copy(ParamMap extra) {
        return defaultCopy(extra);
    }

    /** Returns a reader of transformers. */
    public static MLReader<PsFeatureHasher> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads a transformer that was saved. */
    public static PsFeatureHasher load(String path) {
        return read().load(path);
    }
}
