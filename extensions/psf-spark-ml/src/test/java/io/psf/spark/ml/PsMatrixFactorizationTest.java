package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.recommendation.ALS;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Factors of users and items, beside Spark's ALS, on ratings that hidden factors have made. */
@Timeout(180)
class PsMatrixFactorizationTest {
    private static final int USERS = 150;
    private static final int ITEMS = 100;
    private static final int FACTORS = 3;
    private static final double NOISE = .1;
    /** Of Spark's ALS, which a test with the tag long fits. */
    private static final double ERROR_OF_SPARK = .0691;

    private static Dataset<Row> training;
    private static Dataset<Row> test;
    private static PsMatrixFactorizationModel model;

    @BeforeAll
    static void start() {
        Dataset<Row> all = ratings().localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
        model = estimator().fit(training);
    }

    @AfterAll
    static void release() {
        model.release();
    }

    private static PsMatrixFactorization estimator() {
        return new PsMatrixFactorization()
                .setRank(FACTORS)
                .setStepSize(.2)
                .setMaxIter(12)
                .setBatchSize(256)
                .setRegParam(.001);
    }

    private static Dataset<Row> ratings() {
        SplittableRandom random = new SplittableRandom(3);
        double[][] factors = new double[USERS + ITEMS][FACTORS];
        for (double[] some : factors) {
            for (int f = 0; f < FACTORS; f++) {
                some[f] = random.nextDouble(-1, 1);
            }
        }
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int user = random.nextInt(USERS);
            int item = random.nextInt(ITEMS);
            double rating = random.nextDouble(-NOISE, NOISE);
            for (int f = 0; f < FACTORS; f++) {
                rating += factors[user][f] * factors[USERS + item][f];
            }
            all.add(RowFactory.create(user, item, rating, random.nextInt(5) == 0));
        }
        return LocalSpark.get()
                .createDataFrame(
                        all,
                        new StructType()
                                .add("user", DataTypes.IntegerType)
                                .add("item", DataTypes.IntegerType)
                                .add("rating", DataTypes.DoubleType)
                                .add("isTest", DataTypes.BooleanType))
                .coalesce(2);
    }

    private static double error(Dataset<Row> scored) {
        return new RegressionEvaluator().setLabelCol("rating").evaluate(scored);
    }

    private static List<Row> predictions(Dataset<Row> scored) {
        return scored.select("prediction").collectAsList();
    }

    @Test
    @Tag("long")
    void theConstantIsThatOfSparksModel() {
        ALS als = new ALS().setRank(FACTORS).setRegParam(.01).setMaxIter(8);
        assertThat(error(als.fit(training).transform(test))).isCloseTo(ERROR_OF_SPARK, within(.001));
    }

    @Test
    void theErrorOfRatingsIsThatOfSparksAls() {
        assertThat(ERROR_OF_SPARK).as("the noise has a deviation of .06").isLessThan(.08);
        Dataset<Row> scored = model.transform(test);
        assertThat(scored.columns()).containsExactly("user", "item", "rating", "isTest", "prediction");
        assertThat(error(scored)).isCloseTo(ERROR_OF_SPARK, within(.01));
    }

    @Test
    void aModelIsExportedSavedAndLoaded(@TempDir Path directory) throws IOException {
        Dataset<Row> rows = test.union(test.limit(1).withColumn("user", expr("-1")));
        List<Row> expected = predictions(model.transform(rows));
        assertThat(predictions(model.exported().transform(rows))).isEqualTo(expected);
        model.write().save(directory + "/model");
        PsMatrixFactorizationModel loaded = PsMatrixFactorizationModel.load(directory + "/model");
        assertThat(predictions(loaded.transform(rows))).isEqualTo(expected);
        assertThat(loaded.rank()).isEqualTo(FACTORS);
        estimator().setUserCol("who").write().save(directory + "/estimator");
        assertThat(PsMatrixFactorization.load(directory + "/estimator").getUserCol())
                .isEqualTo("who");
    }

    @Test
    void rowsOfUnknownUsersOrItemsHaveNoPrediction() {
        Dataset<Row> unknown = test.limit(2)
                .withColumn("user", expr("100000 + user"))
                .union(test.limit(3).withColumn("item", expr("-1 - item")));
        Dataset<Row> rows = test.limit(4).union(unknown);
        assertThat(model.transform(rows).where("isnan(prediction)").count()).isEqualTo(5);
        PsMatrixFactorizationModel dropping = model.copy(ParamMap.empty()).setColdStartStrategy("drop");
        assertThat(dropping.transform(rows).count()).isEqualTo(4);
        assertThat(dropping.exported().transform(rows).count()).isEqualTo(4);
    }

    @Test
    void unknownUsersAreValidatedWithoutTheirPart() {
        PsMatrixFactorizationModel validated = estimator()
                .setMaxIter(2)
                .setValidationIndicatorCol("isTest")
                .fit(training.union(test.withColumn("user", expr("if(user = 1, 4711, user)"))));
        assertThat(validated.summary().validationHistory()).hasSize(2).doesNotContain(Double.NaN);
        validated.release();
    }

    @Test
    void usersAndItemsHaveFactorsWhoseProductIsTheRating() {
        assertThat(model.userFactors().columns()).containsExactly("id", "features", "bias");
        assertThat(model.userFactors().count()).isEqualTo(USERS);
        assertThat(model.itemFactors().selectExpr("min(id)", "max(id)").first())
                .isEqualTo(RowFactory.create(0L, (long) ITEMS - 1));
        Dataset<Row> products = model.transform(test)
                .join(model.userFactors().toDF("user", "ofUser", "userBias"), "user")
                .join(model.itemFactors().toDF("item", "ofItem", "itemBias"), "item")
                .selectExpr(
                        "prediction",
                        "aggregate(zip_with(ofUser, ofItem, (a, b) -> double(a * b)), 0d, (a, b) -> a + b)"
                                + " + userBias + itemBias + " + model.intercept() + " as product");
        assertThat(products.count()).isEqualTo(test.count());
        assertThat(products.where("abs(prediction - product) > 1e-4").count()).isZero();
    }

    @Test
    void idsHave63BitsAndTheirColumnsAreChecked() {
        Dataset<Row> large = training.withColumn("user", expr("shiftright(xxhash64(user), 1)"));
        PsMatrixFactorizationModel ofHashes =
                estimator().setMaxIter(1).setExportWeights(true).fit(large);
        assertThat(ofHashes.userFactors()
                        .select("id")
                        .except(large.select("user"))
                        .count())
                .isZero();
        assertThatThrownBy(() -> estimator().fit(training.withColumn("user", expr("bigint(pow(2, 62))"))))
                .hasStackTraceContaining("user column \"user\": 4611686018427387904 (expected: -2^62 to 2^62 - 1");
        assertThatThrownBy(() -> estimator().fit(training.withColumn("item", expr("null"))))
                .hasStackTraceContaining("item column \"item\": void (expected: bigint");
        assertThatThrownBy(() -> estimator().fit(training.withColumn("item", expr("int(null)"))))
                .hasStackTraceContaining("\"keys of user and item\": null");
        assertThatThrownBy(() -> estimator().setRatingCol("stars").fit(training))
                .hasMessageContaining("rating column \"stars\": none");
        assertThatThrownBy(() -> model.copy(ParamMap.empty()).setColdStartStrategy("zero"))
                .hasMessageContaining("coldStartStrategy");
    }

    /** As Spark's ALS, which has neither. */
    @Test
    void biasesAndInterceptMayBeLeftOut() {
        PsMatrixFactorizationModel plain = estimator()
                .setFitBiases(false)
                .setFitIntercept(false)
                .setExportWeights(true)
                .fit(training);
        assertThat(plain.userFactors().where("bias <> 0").count()).isZero();
        assertThat(plain.intercept()).isZero();
        assertThat(error(plain.transform(test))).isCloseTo(error(model.transform(test)), within(.01));
    }
}
