package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.psf.builtin.Tensors;
import io.psf.spark.LocalCluster;
import io.psf.spark.PsSpark;
import io.psf.spark.PsfPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
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
 * The estimators in an application with executors of their own, whose {@code spark.serializer} is Kryo: one process
 * sends itself no broadcasts. The bytes that come through the driver are counted.
 */
@Timeout(180)
class ExecutorsTest {
    private static final int ROWS = 10_000;
    /** Of a row of training; each occurs once, and has a weight. */
    private static final int KEYS = 10;

    private static final long WEIGHTS = (long) ROWS * KEYS;

    @TempDir
    static Path folder;

    private static SparkSession spark;
    private static Dataset<Row> clicks;
    /** Rows whose features no other row has. */
    private static Dataset<Row> wide;

    private static final AtomicLong RESULTS_OF_TASKS = new AtomicLong();

    @BeforeAll
    static void start() {
        spark = LocalCluster.of(2, 1024)
                .config("spark.serializer", KryoSerializer.class.getName())
                .config("spark.psf.checkpoints", folder.resolve("checkpoints").toString())
                .getOrCreate();
        clicks = Clicks.rows(spark, 4_000, 1).localCheckpoint();
        wide = spark.range(0, ROWS, 1, 2)
                .withColumn("keys", expr("transform(sequence(1, " + KEYS + "), i -> xxhash64(id, i))"))
                .withColumn("label", expr("id % 2"));
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                RESULTS_OF_TASKS.addAndGet(end.taskMetrics().resultSize());
            }
        });
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    @Test
    void clicksArePredictedByLogisticRegressionWithCheckpoints() throws IOException {
        PsLogisticRegressionModel model = new PsLogisticRegression()
                .setKeysCol("keys")
                .setValuesCol("values")
                .setValidationIndicatorCol("isTest")
                .setCheckpoints(true)
                .setMaxIter(3)
                .fit(clicks);
        Path checkpoints = folder.resolve("checkpoints");
        assertThat(Clicks.steps(checkpoints, model.uid()))
                .extracting(Path::getFileName)
                .hasToString("[step-000000000003, step-000000000002]");
        assertScoresAlike(model, PsLogisticRegressionModel::load);
        assertThat(Clicks.steps(checkpoints, model.uid()))
                .as("of a model that is released")
                .isEmpty();
    }

    @Test
    @Tag("long")
    void clicksArePredictedByAFactorizationMachine() throws IOException {
        PsFactorizationMachineModel model = new PsFactorizationMachine()
                .setFeaturesCol("features")
                .setMaxIter(3)
                .fit(clicks);
        assertScoresAlike(model, PsFactorizationMachineModel::load);
    }

    /** On servers, exported, and saved and loaded. */
    private static <M extends PsScorer<M>> void assertScoresAlike(M model, Function<String, M> load)
            throws IOException {
        double auc = Clicks.auc(model.transform(clicks));
        assertThat(auc).isGreaterThan(.7);
        String path = folder.resolve(model.uid()).toString();
        model.write().save(path);
        assertThat(Clicks.auc(model.exported().transform(clicks))).isEqualTo(auc);
        model.release();
        assertThat(Clicks.auc(load.apply(path).transform(clicks))).isEqualTo(auc);
    }

    @Test
    @Tag("long")
    void wordsHaveVectors() throws IOException {
        Dataset<Row> sentences = clicks.selectExpr("transform(keys, key -> 'word' || key % 50) as words", "label");
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

    private static List<Row> predictions(Dataset<Row> scored) {
        return scored.select("id", "prediction").where("id % 1000 = 0").collectAsList();
    }

    /** Returns the bytes of the results of tasks, and of the calls of the driver, as Spark's sinks have them. */
    private static long throughDriver() {
        MetricRegistry calls = SparkEnv.get()
                .metricsSystem()
                .getSourcesByName("plugin." + PsfPlugin.class.getName())
                .head()
                .metricRegistry();
        return RESULTS_OF_TASKS.get()
                + calls.counter("calls.bytesSent").getCount()
                + calls.counter("calls.bytesReceived").getCount();
    }

    /** Checks that few bytes came through the driver, and many do when it loads the model itself. */
    private static void assertFewBytesSince(long before, Runnable loading, long bytesOfAWeight) {
        assertThat(throughDriver() - before).isLessThan(WEIGHTS * bytesOfAWeight / 20);
        loading.run();
        await().until(() -> throughDriver() - before > WEIGHTS * bytesOfAWeight);
    }

    @Test
    void theWeightsOfALogisticRegressionDoNotComeThroughTheDriver() throws Exception {
        PsLogisticRegressionModel model =
                new PsLogisticRegression().setKeysCol("keys").setMaxIter(1).fit(wide);
        List<Row> expected = predictions(model.transform(wide));
        String path = folder.resolve("regression").toString();
        long before = throughDriver();
        model.write().save(path);
        model.release();
        PsLogisticRegressionModel served =
                PsLogisticRegressionModel.read().onServers().load(path);
        assertThat(served.isExported()).isFalse();
        assertThat(served.getWeights().count()).isEqualTo(WEIGHTS);
        assertThat(predictions(served.transform(wide))).isEqualTo(expected);
        assertFewBytesSince(
                before,
                () -> assertThat(
                                predictions(PsLogisticRegressionModel.load(path).transform(wide)))
                        .isEqualTo(expected),
                Long.BYTES + Float.BYTES);
        served.release();
        assertThat(Tensors.list(PsSpark.client()))
                .noneMatch(summary -> summary.tensor().id().name().startsWith(model.uid()));
    }

    /** In a pipeline, whose stages are loaded by Spark, by a setting of the session. */
    @Test
    @Tag("long")
    void theFactorsOfAMachineDoNotComeThroughTheDriver() throws Exception {
        PsFactorizationMachine machine = new PsFactorizationMachine()
                .setKeysCol("keys")
                .setFactorSize(3)
                .setLossType("squaredError")
                .setMaxIter(1);
        PipelineModel model =
                new Pipeline().setStages(new PipelineStage[] {machine}).fit(wide);
        List<Row> expected = predictions(model.transform(wide));
        String path = folder.resolve("machine").toString();
        long before = throughDriver();
        model.write().save(path);
        ((PsFactorizationMachineModel) model.stages()[0]).release();
        spark.conf().set("spark.psf.loadOnServers", true);
        PipelineModel served = PipelineModel.load(path);
        spark.conf().unset("spark.psf.loadOnServers");
        assertThat(predictions(served.transform(wide))).isEqualTo(expected);
        assertFewBytesSince(before, () -> PipelineModel.load(path), Long.BYTES + 4 * Float.BYTES);
        PsFactorizationMachineModel stage = (PsFactorizationMachineModel) served.stages()[0];
        assertThat(stage.getWeights().columns()).containsExactly("key", "weight", "factors");
        stage.release();
    }
}
