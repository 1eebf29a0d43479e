package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.ml.classification.LinearSVC;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.regression.GeneralizedLinearRegression;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Linear models beside Spark's own, on rows that linear models have drawn. */
@Timeout(180)
class LinearModelsTest {
    // Of Spark's own models, which a test with the tag long fits.
    private static final double ERROR_OF_SPARK = .19942;
    private static final double DEVIANCE_OF_SPARK = 1.1125;
    private static final double ACCURACY_OF_SPARK = .8699;

    private static Dataset<Row> training;
    private static Dataset<Row> test;

    @BeforeAll
    static void start() {
        Dataset<Row> all = PlantedLabels.rows(8_000, 3).localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
    }

    private static PsLinearRegression regression(String label) {
        return new PsLinearRegression()
                .setLabelCol(label)
                .setMaxIter(5)
                .setBatchSize(64)
                .setStepSize(.3);
    }

    private static double error(Dataset<Row> scored, String label) {
        return new RegressionEvaluator().setLabelCol(label).evaluate(scored);
    }

    private static List<Row> predictions(Dataset<Row> scored) {
        return scored.select("prediction").collectAsList();
    }

    @Test
    @Tag("long")
    void theConstantsAreThoseOfSparksModels() {
        Dataset<Row> numbers =
                new LinearRegression().setLabelCol("number").fit(training).transform(test);
        assertThat(error(numbers, "number")).isCloseTo(ERROR_OF_SPARK, within(1e-4));
        GeneralizedLinearRegression poisson =
                new GeneralizedLinearRegression().setLabelCol("count").setFamily("poisson");
        Dataset<Row> counts = poisson.setRegParam(1e-6).fit(training).transform(test);
        assertThat(deviance(counts)).isCloseTo(DEVIANCE_OF_SPARK, within(1e-4));
        LinearSVC machine = new LinearSVC().setLabelCol("sign").setRegParam(1e-3);
        assertThat(accuracy(machine.fit(training).transform(test))).isCloseTo(ACCURACY_OF_SPARK, within(.002));
    }

    @Test
    void theErrorsOfALinearRegressionAreThoseOfSparks() {
        assertThat(ERROR_OF_SPARK).as("the noise is .2").isLessThan(.21);
        PsLinearRegressionModel model = regression("number").fit(training);
        Dataset<Row> scored = model.transform(test);
        assertThat(scored.columns()).endsWith("isTest", "prediction").doesNotContain("rawPrediction");
        assertThat(error(scored, "number")).isCloseTo(ERROR_OF_SPARK, within(.01));
        assertThat(model.hasParam("threshold")).isFalse();
        model.release();
    }

    @Test
    void lassoLeavesOutTheFeaturesThatHaveNoPart() {
        PsLinearRegression estimator = regression("number").setExportWeights(true);
        PsLinearRegressionModel model = estimator
                .copy(ParamMap.empty())
                .setRegParam(.01)
                .setElasticNetParam(1)
                .fit(training);
        assertThat(withoutPart(estimator.fit(training).coefficients())).isGreaterThan(25);
        assertThat(withoutPart(model.coefficients())).isLessThan(15);
        assertThat(error(model.transform(test), "number")).as("the noise is .2").isLessThan(.21);
    }

    /** Returns how many of the features that have no part have a weight. */
    private static long withoutPart(Vector coefficients) {
        return IntStream.range(PlantedLabels.SIZE / 2, PlantedLabels.SIZE)
                .filter(i -> coefficients.apply(i) != 0)
                .count();
    }

    @Test
    void fewWrongLabelsHaveLittleWeightWithHuber() {
        PsLinearRegressionModel squared = regression("wrong").fit(training);
        PsLinearRegressionModel model = regression("wrong")
                .setLoss("huber")
                .setEpsilon(.3)
                .setMaxIter(8)
                .setBatchSize(32)
                .fit(training);
        assertThat(error(squared.transform(test), "number")).isGreaterThan(1);
        assertThat(error(model.transform(test), "number"))
                .as("as of a regression of right labels")
                .isCloseTo(ERROR_OF_SPARK, within(.05));
        squared.release();
        model.release();
    }

    @Test
    void countsAreExpectedAsBySparksPoissonRegression(@TempDir Path directory) throws IOException {
        PsLinearRegressionModel model = regression("count")
                .setLoss("poisson")
                .setStepSize(.1)
                .setValidationIndicatorCol("isTest")
                .setPatience(20)
                .fit(training.union(test));
        Dataset<Row> scored = model.transform(test);
        assertThat(deviance(scored)).isCloseTo(DEVIANCE_OF_SPARK, within(.02));
        assertThat(deviance(scored.withColumn("prediction", expr("1.5d"))))
                .as("of the same for all")
                .isGreaterThan(DEVIANCE_OF_SPARK + .2);
        assertThat(model.summary().areaHistory()).isEmpty();
        assertThat(model.summary().validationHistory()).hasSize(5);
        model.write().save(directory + "/model");
        PsLinearRegressionModel loaded = PsLinearRegressionModel.load(directory + "/model");
        assertThat(loaded.getLoss()).isEqualTo("poisson");
        assertThat(predictions(loaded.transform(test))).isEqualTo(predictions(scored));
        model.release();
    }

    /** Returns the mean of Poisson's deviance. */
    private static double deviance(Dataset<Row> scored) {
        return scored.selectExpr("avg(2 * (if(count > 0, count * ln(count / prediction), 0d) - count + prediction))")
                .first()
                .getDouble(0);
    }

    private static double accuracy(Dataset<Row> scored) {
        return (double) scored.where("prediction = sign").count() / test.count();
    }

    @Test
    void aSupportVectorMachineIsAsSparks(@TempDir Path directory) throws IOException {
        PsLinearSVC estimator = new PsLinearSVC()
                .setLabelCol("sign")
                .setRegParam(1e-3)
                .setMaxIter(5)
                .setBatchSize(64);
        estimator.write().save(directory + "/estimator");
        PsLinearSVCModel model = PsLinearSVC.load(directory + "/estimator")
                .setValidationIndicatorCol("isTest")
                .setPatience(20)
                .fit(training.union(test));
        Dataset<Row> scored = model.transform(test);
        assertThat(scored.columns()).endsWith("rawPrediction", "prediction").doesNotContain("probability");
        assertThat(ACCURACY_OF_SPARK).isGreaterThan(.8);
        assertThat(accuracy(scored)).isCloseTo(ACCURACY_OF_SPARK, within(.015));
        assertThat(model.summary().areaHistory())
                .last()
                .satisfies(area -> assertThat(area).isGreaterThan(.85));
        Row first = scored.first();
        assertThat(first.<Vector>getAs("rawPrediction").apply(1))
                .isCloseTo(first.<Vector>getAs("features").dot(model.coefficients()) + model.intercept(), within(1e-4));
        model.write().save(directory + "/model");
        assertThat(predictions(PsLinearSVCModel.load(directory + "/model").transform(test)))
                .isEqualTo(predictions(scored));
        model.release();
    }

    @Test
    void labelsThatDoNotFitTheLossAreRefused() {
        assertThatThrownBy(() -> new PsLinearSVC().setLabelCol("class").fit(training))
                .hasStackTraceContaining("(expected: 0 or 1)");
        assertThatThrownBy(() -> regression("number").setLoss("poisson").fit(training))
                .hasStackTraceContaining("(expected: a finite number >= 0)");
        assertThatThrownBy(() -> regression("number").setLoss("absolute")).hasMessageContaining("loss");
        assertThatThrownBy(() -> regression("number")
                        .setSolver("adagrad")
                        .setElasticNetParam(.5)
                        .fit(training))
                .hasMessageContaining("elasticNetParam: 0.5");
    }
}
