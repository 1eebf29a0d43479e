package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;

import io.psf.builtin.Tensors;
import io.psf.spark.LocalSpark;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of users and items with two hidden factors, whose product is the rating. */
@Timeout(180)
class PsFactorizationMachineTest {
    private static final int USERS = 60;
    private static final int ITEMS = 40;

    private static Dataset<Row> training;
    private static Dataset<Row> test;

    @BeforeAll
    static void start() {
        Dataset<Row> all = ratings().localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
    }

    private static Dataset<Row> ratings() {
        SplittableRandom random = new SplittableRandom(3);
        double[][] factors = new double[USERS + ITEMS][2];
        for (double[] some : factors) {
            some[0] = random.nextDouble(-1.5, 1.5);
            some[1] = random.nextDouble(-1.5, 1.5);
        }
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int user = random.nextInt(USERS);
            int item = random.nextInt(USERS, USERS + ITEMS);
            double rating = factors[user][0] * factors[item][0] + factors[user][1] * factors[item][1];
            all.add(RowFactory.create(
                    new Long[] {(long) user, (long) item},
                    rating + random.nextDouble(-0.1, 0.1),
                    random.nextDouble() < 1 / (1 + Math.exp(-3 * rating)) ? 1.0 : 0.0,
                    random.nextInt(5) == 0));
        }
        return LocalSpark.get()
                .createDataFrame(
                        all,
                        new StructType()
                                .add("keys", DataTypes.createArrayType(DataTypes.LongType))
                                .add("rating", DataTypes.DoubleType)
                                .add("label", DataTypes.DoubleType)
                                .add("isTest", DataTypes.BooleanType))
                .coalesce(2);
    }

    private static PsFactorizationMachine estimator() {
        return new PsFactorizationMachine()
                .setKeysCol("keys")
                .setFactorSize(4)
                .setInitStd(0.1)
                .setStepSize(0.2)
                .setMaxIter(8)
                .setBatchSize(256);
    }

    private static double error(Dataset<Row> scored) {
        return new RegressionEvaluator().setLabelCol("rating").evaluate(scored);
    }

    private static List<Row> predictions(Dataset<Row> scored) {
        return scored.select("prediction").collectAsList();
    }

    @Test
    void pairsAreLearnedThatALinearModelDoesNotSee() {
        PsFactorizationMachineModel model = estimator().fit(training);
        PsLogisticRegressionModel linear =
                new PsLogisticRegression().setKeysCol("keys").setMaxIter(5).fit(training);
        assertThat(Clicks.auc(linear.transform(test))).isLessThan(0.65);
        assertThat(Clicks.auc(model.transform(test))).isGreaterThan(0.85);
        model.release();
        linear.release();
    }

    @Test
    void aRegressionIsExportedSavedAndLoaded(@TempDir Path directory) throws IOException {
        PsFactorizationMachineModel model =
                estimator().setLossType("squaredError").setLabelCol("rating").fit(training);
        Dataset<Row> scored = model.transform(test);
        assertThat(scored.columns()).endsWith("isTest", "prediction").doesNotContain("probability");
        assertThat(error(scored)).isLessThan(0.3);
        assertThat(predictions(model.exported().transform(test))).isEqualTo(predictions(scored));
        model.write().save(directory + "/model");
        PsFactorizationMachineModel loaded = PsFactorizationMachineModel.load(directory + "/model");
        assertThat(loaded.getOrDefault(loaded.lossType())).isEqualTo("squaredError");
        assertThat(predictions(loaded.transform(test))).isEqualTo(predictions(scored));
        model.release();
        assertThat(Tensors.list(PsSpark.client()))
                .noneMatch(summary -> summary.tensor().id().name().startsWith(model.uid()));
    }

    @Test
    void keysThatNoRowHadHaveNoPart() {
        PsFactorizationMachineModel model = estimator().setMaxIter(2).fit(training);
        Dataset<Row> more = test.withColumn("keys", expr("concat(keys, array(4711L, -5L))"));
        assertThat(predictions(model.transform(more))).isEqualTo(predictions(model.transform(test)));
        assertThat(predictions(model.exported().transform(more))).isEqualTo(predictions(model.transform(test)));
        model.release();
    }
}
