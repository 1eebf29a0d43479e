package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.spark.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The estimators in an application whose {@code spark.serializer} is Kryo, in executors of their own: one process sends
 * itself no broadcasts.
 */
@Timeout(180)
class KryoTest {
    @TempDir
    static Path folder;

    private static SparkSession spark;
    private static Dataset<Row> rows;

    @BeforeAll
    static void start() {
        spark = LocalCluster.of(2, 1024)
                .config("spark.serializer", KryoSerializer.class.getName())
                .config("spark.sql.shuffle.partitions", 2)
                .getOrCreate();
        rows = Clicks.rows(spark, 4_000, 1);
    }

    @AfterAll
    static void stop() throws IOException {
        spark.close();
    }

    @Test
    void clicksArePredictedByLogisticRegression() throws IOException {
        PsLogisticRegressionModel model = new PsLogisticRegression()
                .setKeysCol("keys")
                .setValuesCol("values")
                .setValidationIndicatorCol("isTest")
                .setMaxIter(3)
                .fit(rows);
        assertScoresAlike(model, PsLogisticRegressionModel::load);
    }

    @Test
    @Tag("long")
    void clicksArePredictedByAFactorizationMachine() throws IOException {
        PsFactorizationMachineModel model = new PsFactorizationMachine()
                .setFeaturesCol("features")
                .setMaxIter(3)
                .fit(rows);
        assertScoresAlike(model, PsFactorizationMachineModel::load);
    }

    /** On servers, exported, and saved and loaded. */
    private static <M extends PsScorer<M>> void assertScoresAlike(M model, Function<String, M> load)
            throws IOException {
        double auc = Clicks.auc(model.transform(rows));
        assertThat(auc).isGreaterThan(.7);
        String path = folder.resolve(model.uid()).toString();
        model.write().save(path);
        assertThat(Clicks.auc(model.exported().transform(rows))).isEqualTo(auc);
        model.release();
        assertThat(Clicks.auc(load.apply(path).transform(rows))).isEqualTo(auc);
    }

    @Test
    @Tag("long")
    void wordsHaveVectors() throws IOException {
        Dataset<Row> sentences = rows.selectExpr("transform(keys, key -> 'word' || key % 50) as words", "label");
        PsWord2VecModel model = new PsWord2Vec()
                .setInputCol("words")
                .setOutputCol("vector")
                .setVectorSize(8)
                .setNumPartitions(3)
                .setMaxIter(1)
                .fit(sentences);
        List<Row> vectors = model.transform(sentences).limit(20).collectAsList();
        assertThat(vectors).hasSize(20);
        String path = folder.resolve("words").toString();
        model.write().save(path);
        assertThat(model.exported().transform(sentences).limit(20).collectAsList())
                .isEqualTo(vectors);
        model.release();
        assertThat(PsWord2VecModel.load(path).transform(sentences).limit(20).collectAsList())
                .isEqualTo(vectors);
    }
}
