package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.Params;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The training with weighted rows, and the summary of a training. */
@Timeout(180)
class TrainedModelTest {
    private static Dataset<Row> all;
    /** Each row, and its opposite, which does not count. */
    private static Dataset<Row> weighted;

    @BeforeAll
    static void start() {
        all = Clicks.rows(LocalSpark.get(), 8_000, 1).localCheckpoint();
        Dataset<Row> opposite = all.withColumn("label", expr("1 - label")).withColumn("times", expr("0"));
        weighted = all.withColumn("times", expr("2")).union(opposite);
    }

    private static PsLogisticRegression estimator() {
        return new PsLogisticRegression()
                .setMaxIter(3)
                .setBatchSize(256)
                .setPatience(9)
                .setValidationIndicatorCol("isTest");
    }

    private static double last(List<Double> history) {
        return history.get(history.size() - 1);
    }

    @Test
    void rowsCountAsOftenAsTheirWeightSays() {
        PsLogisticRegressionModel plain = estimator().setRegParam(0.001).fit(all);
        PsLogisticRegressionModel model =
                estimator().setRegParam(0.001).setWeightCol("times").fit(weighted);
        assertThat(last(plain.summary().areaHistory())).isGreaterThan(0.75);
        assertThat(last(model.summary().areaHistory()))
                .isCloseTo(last(plain.summary().areaHistory()), within(0.01));
        assertThat(last(model.summary().validationHistory()))
                .isCloseTo(last(plain.summary().validationHistory()), within(0.02));
        assertThat(last(model.summary().objectiveHistory()))
                .isCloseTo(last(plain.summary().objectiveHistory()), within(0.02));
        PsLogisticRegressionModel unweighted = estimator().fit(weighted);
        assertThat(last(unweighted.summary().areaHistory()))
                .as("without weights half of the labels are wrong")
                .isLessThan(0.55);
        for (PsLogisticRegressionModel each : List.of(plain, model, unweighted)) {
            each.release();
        }
    }

    @Test
    void rowsOfAFactorizationMachineCountAsOftenAsTheirWeightSays() {
        PsFactorizationMachine estimator = new PsFactorizationMachine()
                .setMaxIter(4)
                .setBatchSize(256)
                .setStepSize(0.1)
                .setPatience(9)
                .setValidationIndicatorCol("isTest");
        PsFactorizationMachineModel model = estimator.setWeightCol("times").fit(weighted);
        assertThat(last(model.summary().areaHistory())).isGreaterThan(0.7);
        model.release();
    }

    @Test
    void weightsThatAreNoWeightsAreRefused() {
        PsLogisticRegression estimator = estimator().setWeightCol("times");
        assertThatThrownBy(() -> estimator.fit(all)).hasMessageContaining("weight column \"times\": none");
        assertThatThrownBy(() -> estimator.fit(all.withColumn("times", expr("'a'"))))
                .hasMessageContaining("weight column \"times\": string");
        assertThatThrownBy(() -> estimator.fit(all.withColumn("times", expr("0"))))
                .hasMessageContaining("weights of the rows of training: 0 in all");
        for (String wrong : List.of("-1.0", "double('NaN')", "double('Infinity')", "double(null)")) {
            assertThatThrownBy(() -> estimator.fit(all.withColumn("times", expr(wrong))))
                    .hasStackTraceContaining("weight column \"times\": ")
                    .hasStackTraceContaining("(expected: a finite number >= 0)");
        }
    }

    @Test
    void aModelSaysHowItsTrainingWent(@TempDir Path folder) throws IOException {
        PsLogisticRegressionModel model = estimator().fit(all);
        PsTrainingSummary summary = model.summary();
        assertThat(summary.totalIterations()).isEqualTo(3).isEqualTo(model.epochs());
        assertThat(summary.objectiveHistory()).hasSize(3);
        assertThat(last(summary.objectiveHistory()))
                .isLessThan(summary.objectiveHistory().get(0));
        assertThat(summary.validationHistory()).hasSize(3);
        assertThat(last(summary.areaHistory()))
                .isCloseTo(Clicks.auc(model.transform(all.where("isTest"))), within(0.001));
        assertThat(model.copy(ParamMap.empty()).summary()).isEqualTo(summary);
        assertThat(model.exported().summary()).isEqualTo(summary);
        model.write().save(folder + "/model");
        PsLogisticRegressionModel loaded = PsLogisticRegressionModel.load(folder + "/model");
        assertThat(loaded.hasSummary()).isFalse();
        assertThatThrownBy(loaded::summary).hasMessageContaining("summary: none");
        model.release();
        PsLogisticRegressionModel unvalidated =
                estimator().setMaxIter(1).setValidationIndicatorCol("").fit(all);
        assertThat(unvalidated.summary().validationHistory()).isEmpty();
        assertThat(unvalidated.summary().areaHistory()).isEmpty();
        unvalidated.release();
    }

    /** The margin of a row is its product with the coefficients, and the intercept. */
    @Test
    void coefficientsAndInterceptMakeTheMargins() {
        PsLogisticRegressionModel model = estimator().fit(all);
        Vector coefficients = model.coefficients();
        assertThat(coefficients.size()).isEqualTo(Clicks.SIZE);
        assertThat(model.intercept()).isNotZero();
        for (Row row : model.transform(all).limit(20).collectAsList()) {
            Vector features = row.getAs("features");
            Vector raw = row.getAs("rawPrediction");
            assertThat(raw.apply(1)).isCloseTo(features.dot(coefficients) + model.intercept(), within(1e-4));
        }
        assertThat(model.getWeights().count()).isEqualTo(coefficients.numNonzeros());
        PsLogisticRegressionModel exported = model.exported();
        model.release();
        assertThat(exported.coefficients()).isEqualTo(coefficients);
        PsLogisticRegressionModel ofKeys =
                estimator().setKeysCol("keys").setFitIntercept(false).fit(all);
        assertThat(ofKeys.intercept()).isZero();
        assertThatThrownBy(ofKeys::coefficients).hasMessageContaining("numFeatures: 0 (expected: 1 to 2147483647");
        ofKeys.release();
    }

    @Test
    void eachParamHasAGetterOfItsType() throws ReflectiveOperationException {
        PsLogisticRegressionModel model = estimator().setMaxIter(1).fit(all);
        for (Params each : List.of(new PsLogisticRegression(), new PsFactorizationMachine(), model)) {
            for (Param<?> param : each.params()) {
                String name = param.name();
                Method getter = each.getClass()
                        .getMethod("get" + name.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + name.substring(1));
                if (each.isDefined(param)) {
                    assertThat(getter.invoke(each)).as(name).isEqualTo(each.getOrDefault(param));
                }
            }
        }
        assertThat(estimator().getMaxIter()).isEqualTo(3);
        model.release();
    }
}
