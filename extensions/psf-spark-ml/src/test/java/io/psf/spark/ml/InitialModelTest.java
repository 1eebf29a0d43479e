package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fits that begin with the weights of a model. */
@Timeout(180)
class InitialModelTest {
    /** With which an epoch changes nearly nothing. */
    private static final double SMALL = 1e-7;

    private static Dataset<Row> rows;

    @BeforeAll
    static void start() {
        rows = Clicks.rows(LocalSpark.get(), 8_000, 1).localCheckpoint();
    }

    private static PsLogisticRegression regression() {
        return new PsLogisticRegression()
                .setKeysCol("keys")
                .setValuesCol("values")
                .setMaxIter(2)
                .setBatchSize(256);
    }

    private static List<Double> margins(PsScorer<?> model) {
        return model.transform(rows)
                .select("rawPrediction")
                .map((MapFunction<Row, Double>) row -> ((Vector) row.get(0)).apply(1), Encoders.DOUBLE())
                .collectAsList();
    }

    private static void assertNear(List<Double> margins, List<Double> others) {
        assertThat(margins).hasSameSizeAs(others);
        for (int i = 0; i < margins.size(); i++) {
            assertThat(margins.get(i)).isCloseTo(others.get(i), within(.01));
        }
    }

    /** It would begin with 0 if it had the weights without the state of the optimizer. */
    @Test
    void aFitWithFtrlBeginsWithTheWeightsOfAModel(@TempDir Path folder) throws IOException {
        beginsWithTheWeightsOfAModelThatIsServedExportedOrLoaded("ftrl", folder);
    }

    @Test
    @Tag("long")
    void aFitWithAdaGradBeginsWithTheWeightsOfAModel(@TempDir Path folder) throws IOException {
        beginsWithTheWeightsOfAModelThatIsServedExportedOrLoaded("adagrad", folder);
    }

    private static void beginsWithTheWeightsOfAModelThatIsServedExportedOrLoaded(String solver, Path folder)
            throws IOException {
        PsLogisticRegressionModel model = regression().setSolver(solver).fit(rows);
        List<Double> expected = margins(model);
        model.write().save(folder + "/model");
        PsLogisticRegression next = regression().setSolver(solver).setMaxIter(1).setStepSize(SMALL);
        for (PsLogisticRegressionModel initial :
                List.of(model, model.exported(), PsLogisticRegressionModel.load(folder + "/model"))) {
            PsLogisticRegressionModel second = next.setInitialModel(initial).fit(rows);
            assertNear(margins(second), expected);
            second.release();
        }
        assertThat(margins(model)).as("the model itself does not change").isEqualTo(expected);
        model.release();
    }

    @Test
    void lassoAndRidgeKeepTheWeightsOfTheModelAtFirst() {
        PsLogisticRegression estimator = regression().setRegParam(.001).setElasticNetParam(.5);
        PsLogisticRegressionModel model = estimator.fit(rows);
        PsLogisticRegressionModel second = estimator
                .setMaxIter(1)
                .setStepSize(SMALL)
                .setInitialModel(model)
                .fit(rows);
        assertNear(margins(second), margins(model));
        assertThat(second.getWeights().count()).isEqualTo(model.getWeights().count());
        model.release();
        second.release();
    }

    @Test
    void aFactorizationMachineBeginsWithWeightsAndFactors() {
        PsFactorizationMachine estimator = new PsFactorizationMachine()
                .setKeysCol("keys")
                .setFactorSize(3)
                .setInitStd(.1)
                .setMaxIter(3);
        PsFactorizationMachineModel model = estimator.fit(rows);
        PsFactorizationMachineModel second = estimator
                .setMaxIter(1)
                .setStepSize(SMALL)
                .setSeed(7) // other initial factors
                .setInitialModel(model)
                .fit(rows);
        assertNear(margins(second), margins(model));
        estimator.setFactorSize(4);
        assertThatThrownBy(() -> estimator.fit(rows))
                .hasMessage("factors of the initial model: 3 (expected: 4, as of this estimator)");
        model.release();
        second.release();
    }

    @Test
    void theRowsOfALaterDayAreLearnedOnTopOfTheEarlierOnes() {
        Dataset<Row> early = rows.where("not isTest");
        Dataset<Row> late = rows.where("isTest")
                .withColumn("keys", expr("concat(keys, array(bigint(label) - 9))"))
                .withColumn("values", expr("concat(values, array(1d))"));
        PsLogisticRegressionModel model = regression().fit(early);
        PsLogisticRegression next = regression().setMaxIter(1);
        PsLogisticRegressionModel cold = next.fit(late);
        Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {next.setInitialModel(model)});
        PipelineModel fitted = pipeline.fit(late);
        PsLogisticRegressionModel warm = (PsLogisticRegressionModel) fitted.stages()[0];
        assertThat(warm.summary().objectiveHistory().get(0))
                .as("the loss of the first pass")
                .isLessThan(cold.summary().objectiveHistory().get(0) - .02);
        assertThat(Clicks.auc(warm.transform(early))).isGreaterThan(.75);
        assertThat(warm.getWeights().where("key < 0").count())
                .as("new keys are learned")
                .isEqualTo(2);
        for (PsLogisticRegressionModel each : List.of(model, cold, warm)) {
            each.release();
        }
    }

    @Test
    void modelsThatDoNotFitAreRefused() {
        PsLogisticRegressionModel model =
                regression().setMaxIter(1).setNumFeatures(Clicks.SIZE).fit(rows);
        PsLogisticRegression other = regression().setInitialModel(model);
        assertThatThrownBy(() -> other.setNumFeatures(1000).fit(rows))
                .hasMessage("numFeatures of the initial model: 512 (expected: 1000, as of this estimator)");
        assertThatThrownBy(() -> other.setNumFeatures(0).setFitIntercept(false).fit(rows))
                .hasMessageContaining("intercept of the initial model: ");
        model.release();
        assertThatThrownBy(() -> other.setFitIntercept(true).fit(rows)).hasMessageContaining("are released");
    }
}
