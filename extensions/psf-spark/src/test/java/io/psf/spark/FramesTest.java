package io.psf.spark;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.xxhash64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tensors as DataFrames. */
@Timeout(120)
class FramesTest {
    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = LocalSpark.get();
    }

    /** Returns rows with vectors of (key, 2 key). */
    private static Dataset<Row> rows(long count) {
        return spark.range(count)
                .withColumnRenamed("id", "key")
                .withColumn(
                        "vector",
                        array(col("key").cast("float"), col("key").multiply(2).cast("float")));
    }

    @Test
    void aTableOfManyPagesIsReadAsItWasWritten() {
        TensorId table = Tensors.init(
                PsSpark.client(), TensorSpec.table("pages", 50_000, 2).slices(3));
        PsSpark.write(rows(50_000), table);
        Dataset<Row> read = PsSpark.read(spark, table);
        assertThat(read.schema().simpleString()).isEqualTo("struct<key:bigint,vector:array<float>>");
        assertThat(read.count()).isEqualTo(50_000);
        assertThat(read.except(rows(50_000)).count()).isZero();
        assertThat(Tensors.pull(PsSpark.client(), table)).hasSize(100_000).endsWith(49_999f, 99_998f);
    }

    @Test
    void aGrowingTableOfTextsIsReadWholeAndByKeys() {
        TensorId table = Tensors.init(
                PsSpark.client(),
                TensorSpec.growing("texts", 2)
                        .initializer(Initializers.constant(7))
                        .slices(4));
        Dataset<Row> words = spark.range(30_000)
                .withColumn("word", concat(lit("w"), col("id")))
                .withColumn("key", xxhash64(col("word")))
                .withColumn("vector", array(col("id").cast("float"), lit(1f)));
        PsSpark.write(words, table);
        assertThat(PsSpark.read(spark, table).count()).isEqualTo(30_000);
        assertThat(PsSpark.read(spark, table)
                        .except(words.select("key", "vector"))
                        .count())
                .isZero();
        Dataset<Row> some = words.where("id % 1000 = 0").select("key");
        Dataset<Row> joined = PsSpark.read(some, table).join(words.select("key", "id"), "key");
        assertThat(joined.where("vector[0] = id").count()).isEqualTo(30);
        Dataset<Row> unknown = spark.sql("select bigint(5) as key");
        assertThat(PsSpark.read(unknown, table).first().<Float>getList(1)).containsExactly(7f, 7f);
    }

    @Test
    void framesOfAnotherShapeAreRefused() {
        TensorId table = Tensors.init(PsSpark.client(), TensorSpec.table("shape", 10, 3));
        assertThatThrownBy(() -> PsSpark.write(spark.range(3).toDF(), table))
                .hasMessage("columns: id (expected: key, of type bigint, among them)");
        assertThatThrownBy(() -> PsSpark.write(spark.sql("select 1L as key, array(1.0D) as vector"), table))
                .hasMessage("column vector: array<double> (expected: array<float>)");
        assertThatThrownBy(() -> PsSpark.write(rows(3), table))
                .hasMessageContaining("vector of key ")
                .hasMessageContaining("2 floats (expected: 3, the width of tensor shape)");
        assertThatThrownBy(() -> PsSpark.write(
                        spark.sql("select bigint(null) as key, array(float(1), float(1), float(1)) as vector"), table))
                .hasMessageContaining("key: null (expected: a value in each row)");
        assertThatThrownBy(() -> PsSpark.write(
                        spark.sql("select 10L as key, array(float(1), float(1), float(1)) as vector"), table))
                .hasMessageContaining("OUT_OF_RANGE");
        assertThat(PsSpark.read(spark.range(0).withColumnRenamed("id", "key"), table)
                        .count())
                .isZero();
    }
}
