package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Model;
import io.psf.builtin.ModelWriter;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.interchange.Parquet;
import io.psf.interchange.VectorFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spark's Parquet files are read here, and those of psf by Spark. */
@Timeout(120)
class ParquetFilesTest {
    private static final int ROWS = 12_000;
    private static final TensorId E = TensorId.of("e");

    private static SparkSession spark;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        spark = LocalSpark.get();
    }

    /** Returns vectors of which a part repeats, so that some pages have a dictionary and some have none. */
    private static Dataset<Row> vectors(String element) {
        return spark.range(ROWS)
                .selectExpr(
                        "id * 7919 - 5 as key",
                        "transform(sequence(0, 3), j -> cast(if(id < 8000, id % 10 + j, sqrt(id * 4 + j)) as " + element
                                + ")) as vector",
                        "concat('w', id) as word");
    }

    private static float[] row(long id) {
        float[] row = new float[4];
        for (int j = 0; j < 4; j++) {
            row[j] = id < 8000 ? id % 10 + j : (float) Math.sqrt((double) (id * 4 + j));
        }
        return row;
    }

    private Model imported(VectorFile vectors) {
        Path place = folder.resolve("place");
        try (ModelWriter writer = ModelWriter.begin(new FolderStore(place), "m", 0)) {
            vectors.addTo(writer, E, true, "");
            writer.commit();
        }
        return Model.open(place, "m");
    }

    @ParameterizedTest
    @CsvSource({"snappy, v1, float", "zstd, v2, double", "gzip, v1, double", "lz4_raw, v2, float", "none, v1, float"})
    void sparkWrites(String compression, String version, String element) {
        String out = folder.resolve("spark").toString();
        vectors(element)
                .repartition(3)
                .write()
                .option("compression", compression)
                .option("parquet.writer.version", version)
                .option("parquet.block.size", 1 << 15)
                .option("parquet.page.size", 1 << 12)
                .parquet(out);
        VectorFile vectors = VectorFile.parquet(Path.of(out));
        assertThat(vectors.rows()).isEqualTo(ROWS);
        assertThat(vectors.width()).isEqualTo(4);
        Map<Long, float[]> rows = new TreeMap<>();
        imported(vectors).rows(E, (key, row) -> rows.put(key, row.clone()));
        assertThat(rows).hasSize(ROWS);
        rows.forEach((key, row) -> assertThat(row).isEqualTo(row((key + 5) / 7919)));
    }

    @Test
    void sparkReads() {
        TensorId table =
                Tensors.init(PsSpark.client(), TensorSpec.growing("table", 4).optimizer(Optimizers.adaGrad(0.1)));
        String out = folder.resolve("spark").toString();
        vectors("float").repartition(3).write().parquet(out);
        VectorFile.parquet(Path.of(out)).load(PsSpark.client(), table);
        Path file = folder.resolve("table.parquet");
        Parquet.save(PsSpark.client(), table, file);
        List<Row> rows = spark.read().parquet(file.toString()).orderBy("key").collectAsList();
        assertThat(rows).hasSize(ROWS);
        for (int id = 0; id < ROWS; id++) {
            assertThat(rows.get(id).getLong(0)).isEqualTo(id * 7919L - 5);
            List<Float> expected = new ArrayList<>();
            for (float each : row(id)) {
                expected.add(each);
            }
            assertThat(rows.get(id).<Float>getList(1)).isEqualTo(expected);
        }
        assertThat(spark.read().parquet(file.toString()).schema().simpleString())
                .isEqualTo("struct<key:bigint,vector:array<float>>");
        assertThat(spark.read().parquet(file.toString()).where("key = 7914").count())
                .isEqualTo(1);
        Tensors.clear(PsSpark.client(), table);
    }

    @Test
    void whatDoesNotFitIsOneSentence() {
        String two = "select 1 as key, array(1f, 2f) as vector union all select 2, ";
        refused(two + "array(1f)", "column \"vector\": 3 floats in 2 rows (expected: 2 in each row, as in the first)");
        refused(two + "array(1f) union all select 3, array(1f, 2f, 3f)", "1 floats in row 1 (expected: 2, as in the");
        refused(two + "array(1f, null)", "null or an empty list in row 1 (expected: a value in each row)");
        refused(two + "null", "3 floats in 2 rows");
        refused("select null as key, array(1f) as vector", "column \"key\": its type is none of those");
        refused(
                "select cast(null as bigint) as key, array(1f) as vector",
                "column \"key\": null or an empty list in row 0");
        refused("select 'a' as key, array(1f) as vector", "column \"key\": its type is none of those that are read");
        refused(
                "select 1 as k, array(1f) as vector",
                "column \"key\": none (expected: a column of",
                "there are [k, vector]");
        refused("select 1 as key, array(1) as vector", "column \"vector\": I32 (expected: float, double");
        refused("select 1.5d as key, array(1f) as vector", "column \"key\": F64 (expected: int64 or int32");
        refused("select current_date() as key, array(1f) as vector", "column \"key\": its type is none of those");
        refused("select 1 as key, struct(1f as x, 2f as y) as vector", "column \"vector\": its type is none of those");
        refused("select 1 as key, array(1f) as vector where false", "no rows (expected: one or more)");
    }

    private void refused(String rows, String... words) {
        String out = folder.resolve("refused").toString();
        spark.sql(rows).coalesce(1).write().mode("overwrite").parquet(out);
        assertThatThrownBy(() -> imported(VectorFile.parquet(Path.of(out)))).hasMessageContainingAll(words);
    }
}
