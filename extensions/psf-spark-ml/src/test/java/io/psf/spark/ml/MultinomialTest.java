package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logistic regression with four classes. */
@Timeout(180)
class MultinomialTest {
    // Of Spark's logistic regression, which a test with the tag long fits.
    private static final double ACCURACY_OF_SPARK = .7745;
    private static final double LOSS_OF_SPARK = .5696;

    private static Dataset<Row> training;
    private static Dataset<Row> test;
    private static PsLogisticRegressionModel model;

    @BeforeAll
    static void start() {
        Dataset<Row> all =
                PlantedLabels.rows(8_000, 3).withColumnRenamed("class", "label").localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
        model = estimator().fit(training);
    }

    @AfterAll
    static void release() {
        model.release();
    }

    private static PsLogisticRegression estimator() {
        return new PsLogisticRegression().setMaxIter(6).setBatchSize(64).setRegParam(1e-4);
    }

    private static double measure(String name, Dataset<Row> scored) {
        return new MulticlassClassificationEvaluator().setMetricName(name).evaluate(scored);
    }

    private static List<Row> probabilities(Dataset<Row> scored) {
        return scored.select("rawPrediction", "probability", "prediction").collectAsList();
    }

    @Test
    @Tag("long")
    void theConstantsAreThoseOfSparksModel() {
        Dataset<Row> scored =
                new LogisticRegression().setRegParam(1e-4).fit(training).transform(test);
        assertThat(measure("accuracy", scored)).isCloseTo(ACCURACY_OF_SPARK, within(.002));
        assertThat(measure("logLoss", scored)).isCloseTo(LOSS_OF_SPARK, within(.001));
    }

    @Test
    void lossAndAccuracyAreThoseOfSparks() {
        Dataset<Row> scored = model.transform(test);
        assertThat(ACCURACY_OF_SPARK).isGreaterThan(.7);
        assertThat(measure("accuracy", scored)).isCloseTo(ACCURACY_OF_SPARK, within(.01));
        assertThat(measure("logLoss", scored)).isCloseTo(LOSS_OF_SPARK, within(.03));
        assertThat(model.summary().areaHistory()).isEmpty();
    }

    @Test
    void theMatrixAndTheInterceptsMakeTheMargins() {
        assertThat(model.numClasses()).isEqualTo(PlantedLabels.CLASSES);
        for (Row row : model.transform(test).limit(5).collectAsList()) {
            Vector expected = model.coefficientMatrix()
                    .multiply(row.<Vector>getAs("features").toDense());
            Vector raw = row.getAs("rawPrediction");
            assertThat(raw.size()).isEqualTo(PlantedLabels.CLASSES);
            for (int of = 0; of < raw.size(); of++) {
                assertThat(raw.apply(of))
                        .isCloseTo(expected.apply(of) + model.interceptVector().apply(of), within(1e-4));
            }
            assertThat(row.<Double>getAs("prediction")).isEqualTo((double) raw.argmax());
            Vector probability = row.getAs("probability");
            assertThat(java.util.Arrays.stream(probability.toArray()).sum()).isCloseTo(1, within(1e-9));
        }
        assertThatThrownBy(model::coefficients).hasMessageContaining("weights of a feature: 4 (expected: one");
        assertThatThrownBy(model::intercept).hasMessageContaining("intercept: 4 (expected: one");
    }

    @Test
    void aModelIsExportedSavedLoadedAndTrainedOn(@TempDir Path directory) throws IOException {
        List<Row> expected = probabilities(model.transform(test));
        assertThat(probabilities(model.exported().transform(test))).isEqualTo(expected);
        model.write().save(directory + "/model");
        assertThat(LocalSpark.get().read().parquet(directory + "/model/weights").columns())
                .containsExactly("key", "weights");
        PsLogisticRegressionModel loaded = PsLogisticRegressionModel.load(directory + "/model");
        assertThat(probabilities(loaded.transform(test))).isEqualTo(expected);
        PsLogisticRegressionModel served =
                PsLogisticRegressionModel.read().onServers().load(directory + "/model");
        assertThat(probabilities(served.transform(test))).isEqualTo(expected);
        PsLogisticRegressionModel second = estimator()
                .setInitialModel(served)
                .setMaxIter(1)
                .setStepSize(1e-7)
                .fit(training.where("label < 2"));
        assertThat(measure("logLoss", second.transform(test)))
                .as("the classes of the initial model, of which the rows have two")
                .isCloseTo(measure("logLoss", model.transform(test)), within(.001));
        served.release();
        second.release();
    }

    @Test
    void theFamilySaysWhichLabelsThereAre() {
        assertThatThrownBy(() -> estimator().setFamily("binomial").fit(training))
                .hasStackTraceContaining("(expected: 0 or 1)");
        assertThatThrownBy(() -> estimator().fit(training.withColumn("label", expr("label / 2"))))
                .hasStackTraceContaining("label column \"label\": 0.5 (expected: a whole number, 0 to 999)");
        assertThatThrownBy(() -> estimator().setInitialModel(binary()).fit(training))
                .hasMessage("classes of the initial model: 2 (expected: 4, as of this estimator)");
        PsLogisticRegressionModel two = estimator()
                .setFamily("multinomial")
                .setMaxIter(2)
                .setExportWeights(true)
                .fit(training.where("label < 2"));
        assertThat(two.coefficientMatrix().numRows()).isEqualTo(2);
        assertThat(binary().coefficientMatrix().numRows()).isEqualTo(1);
        assertThat(binary().numClasses()).isEqualTo(2);
    }

    private static PsLogisticRegressionModel binary() {
        return estimator().setMaxIter(1).setExportWeights(true).fit(training.where("label < 2"));
    }

    @Test
    void labelsMayBeBooleans() {
        PsLogisticRegressionModel two =
                estimator().setMaxIter(1).setExportWeights(true).fit(training.withColumn("label", expr("label < 2")));
        assertThat(two.coefficientMatrix().numRows()).isEqualTo(1);
    }

    /** As where a fold lacks a class. */
    @Test
    void theColumnOfLabelsMayKnowOfMoreClassesThanTheRowsHave() {
        Dataset<Row> indexed = new StringIndexer()
                .setInputCol("label")
                .setOutputCol("index")
                .fit(training)
                .transform(training);
        PsLogisticRegressionModel few = estimator()
                .setLabelCol("index")
                .setMaxIter(1)
                .setExportWeights(true)
                .fit(indexed.where("index < 3"));
        assertThat(few.numClasses()).isEqualTo(PlantedLabels.CLASSES);
    }
}
