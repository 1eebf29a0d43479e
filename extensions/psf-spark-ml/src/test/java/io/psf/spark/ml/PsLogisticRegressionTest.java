package io.psf.spark.ml;

import static org.apache.spark.ml.functions.array_to_vector;
import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.psf.builtin.Tensors;
import io.psf.spark.LocalSpark;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.CrossValidatorModel;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class PsLogisticRegressionTest {
    /** Of Spark's logistic regression, which a test with the tag long fits. */
    private static final double AREA_OF_SPARK = .82046;

    private static SparkSession spark;
    private static Dataset<Row> all;
    private static Dataset<Row> training;
    private static Dataset<Row> test;
    /** Of vectors, trained on {@link #training}. */
    private static PsLogisticRegressionModel model;

    @BeforeAll
    static void start() {
        spark = LocalSpark.get();
        all = Clicks.rows(spark, 8_000, 1).localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
        model = estimator().fit(training);
    }

    @AfterAll
    static void release() {
        model.release();
    }

    private static PsLogisticRegression estimator() {
        return new PsLogisticRegression().setMaxIter(4).setBatchSize(256);
    }

    private static List<Double> margins(Dataset<Row> scored) {
        return scored.select("rawPrediction")
                .map((MapFunction<Row, Double>) row -> ((Vector) row.get(0)).apply(1), Encoders.DOUBLE())
                .collectAsList();
    }

    /** The application's page shows the description of each job. */
    @Test
    void theJobsOfAnEpochSayWhichOneItIs() {
        List<String> descriptions = new CopyOnWriteArrayList<>();
        SparkListener listener = new SparkListener() {
            @Override
            public void onJobStart(SparkListenerJobStart job) {
                descriptions.add(job.properties().getProperty("spark.job.description", ""));
            }
        };
        spark.sparkContext().setJobDescription("of the user");
        spark.sparkContext().addSparkListener(listener);
        try {
            PsLogisticRegression two = estimator().setMaxIter(2);
            two.fit(training.limit(100)).release();
            assertThat(spark.sparkContext().getLocalProperty("spark.job.description"))
                    .isEqualTo("of the user");
            await().untilAsserted(() -> assertThat(descriptions)
                    .contains("of the user", two.uid() + ": epoch 1 of 2", two.uid() + ": epoch 2 of 2"));
        } finally {
            spark.sparkContext().removeSparkListener(listener);
            spark.sparkContext().setJobDescription(null);
        }
    }

    private static List<String> tensors() {
        return Tensors.list(PsSpark.client()).stream()
                .map(summary -> summary.tensor().id().name())
                .toList();
    }

    @Test
    @Tag("long")
    void theConstantIsThatOfSparksModel() {
        LogisticRegression regression = new LogisticRegression().setRegParam(0.001);
        assertThat(Clicks.auc(regression.fit(training).transform(test))).isCloseTo(AREA_OF_SPARK, within(1e-4));
    }

    @Test
    void theAreaUnderTheCurveIsThatOfSparksLogisticRegression() {
        assertThat(AREA_OF_SPARK).isGreaterThan(0.75);
        assertThat(Clicks.auc(model.transform(test))).isCloseTo(AREA_OF_SPARK, within(0.01));
    }

    @Test
    void theOrderOfTheInputDoesNotMatter() {
        PsLogisticRegressionModel sorted = estimator().fit(training.orderBy("label", "features"));
        assertThat(Clicks.auc(sorted.transform(test))).isCloseTo(Clicks.auc(model.transform(test)), within(0.01));
        sorted.release();
    }

    @Test
    void adaGradLearnsTheSame() {
        PsLogisticRegressionModel other = estimator().setSolver("adagrad").fit(training);
        assertThat(Clicks.auc(other.transform(test))).isCloseTo(Clicks.auc(model.transform(test)), within(0.01));
        other.release();
    }

    @Test
    void keysAndValuesAreAVectorOfAnySize() {
        PsLogisticRegression ofKeys = estimator().setKeysCol("keys").setValuesCol("values");
        PsLogisticRegressionModel growing = ofKeys.fit(training);
        assertThat(Clicks.auc(growing.transform(test))).isCloseTo(Clicks.auc(model.transform(test)), within(0.01));
        assertThat(growing.getOrDefault(growing.numFeatures())).isEqualTo(0L);
        Dataset<Row> hashed = training.withColumn("keys", expr("transform(keys, k -> xxhash64(k))"));
        PsLogisticRegressionModel ofHashes = ofKeys.fit(hashed);
        Dataset<Row> hashedTest = test.withColumn("keys", expr("transform(keys, k -> xxhash64(k))"));
        assertThat(Clicks.auc(ofHashes.transform(hashedTest)))
                .isCloseTo(Clicks.auc(growing.transform(test)), within(0.01));
        assertThat(margins(ofHashes.exported().transform(hashedTest)))
                .isEqualTo(margins(ofHashes.transform(hashedTest)));
        growing.release();
        ofHashes.release();
    }

    @Test
    void keysWithoutValuesHaveTheValueOne() {
        PsLogisticRegressionModel ones =
                estimator().setKeysCol("keys").setNumFeatures(Clicks.SIZE).fit(training);
        Dataset<Row> withOnes = test.withColumn("values", expr("transform(values, v -> cast(1 as double))"));
        assertThat(margins(ones.copy(ParamMap.empty()).setValuesCol("values").transform(withOnes)))
                .isEqualTo(margins(ones.transform(test)));
        ones.release();
    }

    private static Dataset<Row> dense(Dataset<Row> rows) {
        return rows.withColumn("features", array_to_vector(vector_to_array(col("features"), "float64")));
    }

    @Test
    void denseVectorsAreSparseOnes() {
        PsLogisticRegressionModel ofDense = estimator().fit(dense(training));
        assertThat(margins(ofDense.transform(dense(test)))).isEqualTo(margins(ofDense.transform(test)));
        assertThat(Clicks.auc(ofDense.transform(test))).isCloseTo(Clicks.auc(model.transform(test)), within(0.01));
        ofDense.release();
    }

    @Test
    void trainingEndsWithoutProgressOfTheValidation() {
        PsLogisticRegressionModel ended = estimator()
                .setMaxIter(50)
                .setStepSize(1)
                .setValidationIndicatorCol("isTest")
                .fit(all);
        assertThat(ended.epochs()).isBetween(2, 20);
        PsLogisticRegressionModel patient = estimator()
                .setMaxIter(ended.epochs() + 1)
                .setStepSize(1)
                .setPatience(100)
                .setValidationIndicatorCol("isTest")
                .fit(all);
        assertThat(patient.epochs()).isEqualTo(ended.epochs() + 1);
        ended.release();
        patient.release();
    }

    @Test
    void lassoLeavesFewerWeights() {
        PsLogisticRegressionModel lasso = estimator()
                .setRegParam(0.003)
                .setElasticNetParam(1)
                .setExportWeights(true)
                .fit(training);
        assertThat(lasso.isExported()).isTrue();
        int few = lasso.local().keys().length;
        assertThat(few).isBetween(10, model.local().keys().length - 50);
        assertThat(tensors()).noneMatch(name -> name.startsWith(lasso.uid()));
    }

    @Test
    void anExportedModelAndASavedOnePredictTheSame(@TempDir Path directory) throws IOException {
        List<Double> expected = margins(model.transform(test));
        assertThat(margins(model.exported().transform(test))).isEqualTo(expected);
        model.write().overwrite().save(directory + "/model");
        PsLogisticRegressionModel loaded = PsLogisticRegressionModel.load(directory + "/model");
        assertThat(margins(loaded.transform(test))).isEqualTo(expected);
        assertThat(loaded.uid()).isEqualTo(model.uid());
        assertThat(loaded.getOrDefault(loaded.numFeatures())).isEqualTo((long) Clicks.SIZE);
    }

    @Test
    void aPipelineTrainsScoresAndIsSaved(@TempDir Path directory) throws IOException {
        Pipeline pipeline =
                new Pipeline().setStages(new PipelineStage[] {estimator().setRawPredictionCol("margin")});
        pipeline.write().save(directory + "/pipeline");
        PipelineModel fitted = Pipeline.load(directory + "/pipeline").fit(training);
        fitted.write().save(directory + "/model");
        PipelineModel loaded = PipelineModel.load(directory + "/model");
        Dataset<Row> scored = loaded.transform(test);
        assertThat(scored.columns()).endsWith("margin", "probability", "prediction");
        assertThat(scored.where("prediction = label").count()).isGreaterThan(test.count() * 6 / 10);
        assertThat(scored.select("prediction").collectAsList())
                .isEqualTo(fitted.transform(test).select("prediction").collectAsList());
        ((PsLogisticRegressionModel) fitted.stages()[0]).release();
    }

    @Test
    void aHasherMakesKeysOfCategories(@TempDir Path directory) throws IOException {
        Dataset<Row> texts = spark.sql("select 'a' as one, array('x', null, 'y') as many, 3 as number, 1.0 as label "
                + "union all select null, null, 4, 0.0");
        PsFeatureHasher hasher = new PsFeatureHasher().setInputCols("one", "many", "number");
        hasher.write().save(directory + "/hasher");
        Dataset<Row> keys = PsFeatureHasher.load(directory + "/hasher").transform(texts);
        List<Row> rows = keys.selectExpr(
                        "keys",
                        "array(xxhash64('one', 'a'), xxhash64('many', 'x'), xxhash64('many', 'y'), xxhash64('number', 3L))",
                        "array(xxhash64('number', 4L))")
                .collectAsList();
        assertThat(rows.get(0).getList(0)).isEqualTo(rows.get(0).getList(1));
        assertThat(rows.get(1).getList(0)).isEqualTo(rows.get(1).getList(2));
        PipelineModel fitted = new Pipeline()
                .setStages(new PipelineStage[] {
                    hasher, estimator().setKeysCol("keys").setExportWeights(true)
                })
                .fit(texts);
        assertThat(fitted.transform(texts).where("prediction = label").count()).isEqualTo(2);
        assertThatThrownBy(() -> new PsFeatureHasher().transform(texts)).hasMessageContaining("inputCols: none");
    }

    @Test
    void aCrossValidatorChooses() {
        PsLogisticRegression estimator = estimator().setMaxIter(2).setExportWeights(true);
        ParamMap[] grid = new ParamGridBuilder()
                .addGrid(estimator.stepSize(), new double[] {1e-6, 0.1})
                .build();
        CrossValidatorModel chosen = new CrossValidator()
                .setEstimator(estimator)
                .setEstimatorParamMaps(grid)
                .setEvaluator(new BinaryClassificationEvaluator())
                .setNumFolds(2)
                .fit(training.limit(1_000).localCheckpoint());
        assertThat(chosen.avgMetrics()[1]).isGreaterThan(chosen.avgMetrics()[0]);
        PsLogisticRegressionModel best = (PsLogisticRegressionModel) chosen.bestModel();
        assertThat(((PsLogisticRegression) best.parent()).getOrDefault(estimator.stepSize()))
                .isEqualTo(0.1);
        assertThat(tensors()).noneMatch(name -> name.startsWith(estimator.uid()));
    }

    @Test
    void paramsAreFoundByName() {
        List<String> names =
                Arrays.stream(estimator().params()).map(Param::name).toList();
        assertThat(names)
                .contains("featuresCol", "keysCol", "labelCol", "maxIter", "elasticNetParam", "validationIndicatorCol");
        assertThat(estimator().explainParams()).contains("regParam: regularization");
        assertThat(model.params())
                .extracting(Param::name)
                .contains("numFeatures")
                .doesNotContain("maxIter");
    }

    @Test
    void wrongParamsAndColumnsAreRefused() {
        assertThatThrownBy(() -> estimator().setStepSize(0)).hasMessageContaining("stepSize");
        assertThatThrownBy(() -> estimator().setSolver("sgd")).hasMessageContaining("solver");
        assertThatThrownBy(() ->
                        estimator().setSolver("adagrad").setElasticNetParam(0.5).fit(training))
                .hasMessageContaining("elasticNetParam: 0.5");
        assertThatThrownBy(() -> estimator().setFeaturesCol("vectors").fit(training))
                .hasMessageContaining("features column \"vectors\": none");
        assertThatThrownBy(() -> estimator().setFeaturesCol("keys").fit(training))
                .hasMessageContaining("features column \"keys\": array<bigint>");
        assertThatThrownBy(() -> estimator().setKeysCol("features").fit(training))
                .hasMessageContaining("keys column \"features\"");
        assertThatThrownBy(() -> estimator().setValidationIndicatorCol("label").fit(training))
                .hasMessageContaining("validation column \"label\": double");
        assertThatThrownBy(() -> estimator().fit(training.where("label > 2")))
                .hasMessageContaining("rows of training: 0");
    }

    @Test
    void rowsThatAreNoNumbersAreRefused() {
        refuses(training.withColumn("label", lit(0.5)), "label column \"label\": 0.5");
        refuses(training.withColumn("label", lit(-1.0)), "label column \"label\": -1.0");
        refuses(training.withColumn("label", lit(null).cast("double")), "label column \"label\": null");
        refuses(training.withColumn("keys", lit(null).cast("array<bigint>")), "keys column \"keys\": null");
        refuses(training.withColumn("keys", expr("array(1L, null)")), "keys column \"keys\": null");
        refuses(
                training.withColumn("values", expr("transform(values, v -> double('NaN'))")),
                "values column \"values\": NaN");
        refuses(training.withColumn("values", expr("array(1.0)")), "values column \"values\": 1 values");
        assertThatThrownBy(
                        () -> estimator().setKeysCol("keys").setNumFeatures(10).fit(training))
                .hasStackTraceContaining("(expected: 0 to 9)");
        refusesVectors(lit(null).cast(SQLDataTypes.VectorType()), "features column \"features\": null");
        refusesVectors(
                array_to_vector(expr("array(0d, double('Infinity'))")), "features column \"features\": Infinity");
        refusesVectors(
                array_to_vector(expr("if(label = 1, array(1d), array(1d, 1d))")),
                "features column \"features\": a vector");
    }

    private static void refuses(Dataset<Row> rows, String message) {
        assertThatThrownBy(() ->
                        estimator().setKeysCol("keys").setValuesCol("values").fit(rows))
                .hasStackTraceContaining(message);
    }

    private static void refusesVectors(Column features, String message) {
        Dataset<Row> rows = training.select(col("label"), features.as("features"));
        assertThatThrownBy(() -> estimator().fit(rows)).hasStackTraceContaining(message);
    }
}
