package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.spark.CountedKill;
import io.psf.spark.LocalCluster;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/**
 * An application whose executors are killed, or decommissioned, in the middle of trainings: its tensors and models are
 * those of undisturbed ones.
 */
@Timeout(240)
@Tag("chaos")
class LostExecutorTest {
    @TempDir
    static Path folder;

    private static final int PARTS = 4;
    private static final int PUSHES = 20;
    /** The calls that a server has in an epoch of {@link #pushOnes}. */
    private static final int CALLS = PARTS * PUSHES * 2;

    private static Path checkpoints;
    private static SparkSession spark;
    private static Dataset<Row> training;
    private static Dataset<Row> test;

    @BeforeAll
    static void start() throws IOException {
        checkpoints = Files.createDirectory(folder.resolve("checkpoints"));
        spark = CountedKill.of(LocalCluster.of(2, 1024), folder)
                .config("spark.psf.checkpoints", checkpoints.toString())
                .config("spark.decommission.enabled", true)
                .getOrCreate();
        Dataset<Row> all = Clicks.rows(spark, 8_000, 1);
        training = all.where("not isTest");
        test = all.where("isTest");
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static String oneExecutor() {
        return LocalCluster.executors(spark).keySet().iterator().next();
    }

    private static void killOneAt(String function, int count) throws IOException {
        CountedKill.ask(folder, oneExecutor(), function, count);
    }

    /** Each partition pushes ones. */
    private static void pushOnes(String tensor) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        context.parallelize(Collections.nCopies(PARTS, 0), PARTS).foreachPartition(part -> {
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            for (int i = 0; i < PUSHES; i++) {
                Tensors.push(PsSpark.client().task(TaskContext.get()), TensorId.of(tensor), ones)
                        .await();
            }
        });
    }

    private static TensorId init(String tensor) {
        return Tensors.init(
                PsSpark.client(),
                TensorSpec.dense(tensor, 100).optimizer(Optimizers.add()).slices(4));
    }

    private static ModelCheckpoints checkpointsOf(TensorId tensor) {
        return ModelCheckpoints.at(PsSpark.client(), tensor.name()).tensors(tensor);
    }

    @Test
    void aTrainingHasEachPushOnce() throws Exception {
        TensorId w = init("killed");
        AtomicInteger runs = new AtomicInteger();
        PsSpark.train(spark, checkpointsOf(w), 3, epoch -> {
            if (runs.incrementAndGet() == 2) {
                killOneAt("psf.dense.push", CALLS / 2);
            }
            pushOnes("killed");
            assertThat(Tensors.pull(PsSpark.client(), w)).hasSize(100);
        });
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(runs.get()).isEqualTo(4);
        assertThat(Tensors.pull(PsSpark.client(), w)).containsOnly(3 * PARTS * PUSHES);
        assertThat(LocalCluster.executors(spark)).hasSize(2);
    }

    @Test
    void aServerOfADecommissionedExecutorLeavesInOrderAndComesBackElsewhere() throws Exception {
        TensorId w = init("decommissioned");
        Map<String, String> removed = LocalCluster.removals(spark);
        String gone = oneExecutor();
        AtomicInteger runs = new AtomicInteger();
        PsSpark.train(spark, checkpointsOf(w), 3, epoch -> {
            pushOnes("decommissioned");
            if (runs.incrementAndGet() == 2) {
                ExecutorAllocationClient client =
                        (ExecutorAllocationClient) spark.sparkContext().schedulerBackend();
                assertThat(client.decommissionExecutor(
                                gone, new ExecutorDecommissionInfo("by a test", Option.empty()), false, false))
                        .isTrue();
                await().atMost(Duration.ofSeconds(60)).until(() -> removed.containsKey(gone));
            }
        });
        assertThat(removed.get(gone)).contains("exited with code 0");
        assertThat(runs.get()).isEqualTo(4);
        assertThat(Tensors.pull(PsSpark.client(), w)).containsOnly(3 * PARTS * PUSHES);
        assertThat(log(gone)).containsPattern("server \\d ends: it finishes its calls");
    }

    /** Returns the log of an executor. */
    private static String log(String executor) throws IOException {
        return Files.readString(Path.of(
                System.getenv("SPARK_HOME"), "work", spark.sparkContext().applicationId(), executor, "stderr"));
    }

    @Test
    void aLogisticRegressionIsThatOfAnUndisturbedFit() throws Exception {
        PsLogisticRegression estimator = new PsLogisticRegression()
                .setMaxIter(4)
                .setBatchSize(256)
                .setValidationIndicatorCol("isTest")
                .setPatience(9);
        Dataset<Row> all = training.union(test);
        PsLogisticRegressionModel undisturbed = estimator.fit(all);
        long before = PsSpark.client().rollback();
        killOneAt("psf.sparse.push", 35); // of some 26 an epoch
        PsLogisticRegressionModel model = estimator.fit(all);
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(PsSpark.client().rollback()).isGreaterThan(before);
        assertThat(model.epochs()).isEqualTo(4);
        double auc = Clicks.auc(undisturbed.transform(test));
        assertThat(auc).isGreaterThan(0.75);
        assertThat(Clicks.auc(model.transform(test))).isCloseTo(auc, within(0.005));
        assertThat(Clicks.steps(checkpoints, model.uid())).as("two fits").hasSize(4);
        model.release();
        undisturbed.release();
        assertThat(Clicks.steps(checkpoints, model.uid())).isEmpty();
    }

    /** The network is a tensor beside the rows of the categories: both go back to the checkpoint. */
    @Test
    void aDeepModelIsThatOfAnUndisturbedFitAndGoesOnAfterALoss() throws Exception {
        Dataset<Row> parities = Parities.rows(spark);
        Dataset<Row> learned = parities.where("not isTest");
        Dataset<Row> others = parities.where("isTest");
        PsDeepFM estimator = Parities.estimator().setBatchSize(64);
        PsDeepFMModel undisturbed = estimator.fit(learned);
        long before = PsSpark.client().rollback();
        killOneAt("psf.sparse.push", 250); // of some 100 an epoch
        PsDeepFMModel model = estimator.fit(learned);
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(PsSpark.client().rollback()).isGreaterThan(before);
        assertThat(model.epochs()).isEqualTo(8);
        double auc = Parities.auc(undisturbed.transform(others));
        assertThat(auc).as("the least error is .1").isGreaterThan(.85);
        assertThat(Parities.auc(model.transform(others))).isCloseTo(auc, within(.02));

        List<Row> scored = Parities.probabilities(model.transform(others));
        killOneAt("psf.sparse.pull", 1);
        assertThat(Parities.probabilities(model.transform(others))).isEqualTo(scored);
        assertThat(CountedKill.isDone(folder)).isTrue();
        model.release();
        undisturbed.release();
    }

    @Test
    void factorsOfClicksAreThoseOfAnUndisturbedFit() throws Exception {
        Dataset<Row> clicks = spark.range(0, 4_000, 1, 4)
                .selectExpr("pmod(xxhash64(id), 200) as user", "pmod(xxhash64(id, 1), 60) as item", "1 as rating");
        PsMatrixFactorization estimator = new PsMatrixFactorization()
                .setImplicitPrefs(true)
                .setRegParam(.1)
                .setMaxIter(4);
        PsMatrixFactorizationModel undisturbed = estimator.fit(clicks);
        killOneAt("psf.sparse.store", 12); // of some 4 an epoch, and 2 before the first
        PsMatrixFactorizationModel model = estimator.fit(clicks);
        assertThat(CountedKill.isDone(folder)).isTrue();
        List<Double> losses = model.summary().objectiveHistory();
        assertThat(losses).hasSize(4);
        for (int i = 0; i < 4; i++) {
            double expected = undisturbed.summary().objectiveHistory().get(i);
            assertThat(losses.get(i)).isCloseTo(expected, within(1e-6 * expected));
        }
        model.release();
        undisturbed.release();
    }

    /** Words of a topic are near each other. */
    @Test
    void wordVectorsAreThoseOfAnUndisturbedFit() throws Exception {
        Dataset<Row> text = spark.range(0, 1500, 1, 2)
                .select(expr("transform(sequence(1, 12), i -> concat('t', id % 5, 'w', " + "abs(xxhash64(id, i)) % 8))")
                        .as("words"));
        PsWord2Vec estimator = new PsWord2Vec()
                .setInputCol("words")
                .setOutputCol("vector")
                .setVectorSize(16)
                .setMaxIter(3)
                .setStepSize(0.05)
                .setSubsampling(0);
        killOneAt("psf.sparse.push", 100); // of some 72 an epoch
        PsWord2VecModel model = estimator.fit(text);
        assertThat(CountedKill.isDone(folder)).isTrue();
        int same = 0;
        for (int topic = 0; topic < 5; topic++) {
            for (Row row : model.findSynonyms("t" + topic + "w0", 7).collectAsList()) {
                same += row.getString(0).startsWith("t" + topic) ? 1 : 0;
            }
        }
        assertThat(same).isGreaterThanOrEqualTo(33);
        assertThat(Clicks.steps(checkpoints, model.uid())).hasSize(2);
        model.release();
        assertThat(Clicks.steps(checkpoints, model.uid())).isEmpty();
    }

    /** Another model's checkpoints let the server come back, without what models have on it that have none. */
    @Test
    void aFitWithoutCheckpointsFailsAndAnEarlierModelIsRefused() throws Exception {
        ModelCheckpoints.at(PsSpark.client(), "other").save(1, Map.of());
        PsLogisticRegression estimator =
                new PsLogisticRegression().setBatchSize(256).setCheckpoints(false);
        PsLogisticRegressionModel earlier = estimator.setMaxIter(1).fit(training);
        PsLogisticRegressionModel exported = earlier.exported();
        killOneAt("psf.sparse.push", 35);
        assertThatThrownBy(() -> estimator.setMaxIter(50).fit(training))
                .satisfiesAnyOf(
                        failure -> assertThat(failure).hasMessageContaining("a server was lost in epoch"),
                        failure -> assertThat(failure).hasMessageContaining("dropped with a lost server"),
                        failure -> assertThat(failure).hasStackTraceContaining("ROLLED_BACK"));
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(ModelCheckpoints.at(PsSpark.client(), "other").loadLatest()).isPresent();
        assertThatThrownBy(() -> earlier.transform(test)).hasMessageContaining("a server was lost, and the part");
        assertThatThrownBy(earlier::exported).hasMessageContaining("a server was lost, and the part");
        assertThat(exported.transform(test).count()).isPositive();
        earlier.release();
        assertThat(Tensors.list(PsSpark.client()))
                .noneMatch(summary -> summary.tensor().id().name().startsWith(estimator.uid()));
    }
}
