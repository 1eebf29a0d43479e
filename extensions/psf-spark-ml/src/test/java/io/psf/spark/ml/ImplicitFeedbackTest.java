package io.psf.spark.ml;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.ml.recommendation.ALS;
import org.apache.spark.ml.recommendation.ALSModel;
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

/** Factors of clicks, beside Spark's ALS, on clicks that hidden factors have made. */
@Timeout(180)
class ImplicitFeedbackTest {
    private static final int USERS = 200;
    private static final int ITEMS = 120;
    private static final int RANK = 6;
    private static final int EPOCHS = 8;
    private static final double ALPHA = 5;
    private static final double STRENGTH = .05;
    /** Of Spark's ALS, which a test with the tag long fits. */
    private static final double LOSS_OF_SPARK = 2.2032;

    private static final double PRECISION_OF_SPARK = .121;

    private static Dataset<Row> training;
    private static PsMatrixFactorizationModel model;
    /** How often a user has clicked on an item: [users, items]. */
    private static final float[][] CLICKS = new float[USERS][ITEMS];

    private static final boolean[][] IS_TEST = new boolean[USERS][ITEMS];

    @BeforeAll
    static void start() {
        click();
        List<Row> rows = new ArrayList<>();
        for (int user = 0; user < USERS; user++) {
            for (int item = 0; item < ITEMS; item++) {
                if (CLICKS[user][item] != 0) {
                    rows.add(RowFactory.create(user, item, CLICKS[user][item]));
                }
            }
        }
        training = LocalSpark.get()
                .createDataFrame(
                        rows,
                        new StructType()
                                .add("user", DataTypes.IntegerType)
                                .add("item", DataTypes.IntegerType)
                                .add("rating", DataTypes.FloatType))
                .coalesce(2)
                .localCheckpoint();
        model = estimator().fit(training);
    }

    @AfterAll
    static void release() {
        model.release();
    }

    private static PsMatrixFactorization estimator() {
        return new PsMatrixFactorization()
                .setImplicitPrefs(true)
                .setAlpha(ALPHA)
                .setRank(RANK)
                .setRegParam(STRENGTH)
                .setMaxIter(EPOCHS);
    }

    /** Draws the clicks: a click in five is for tests, and a row in fifty is a dislike. */
    private static void click() {
        SplittableRandom random = new SplittableRandom(7);
        double[][] factors = new double[USERS + ITEMS][4];
        for (double[] some : factors) {
            for (int f = 0; f < some.length; f++) {
                some[f] = random.nextDouble(-1, 1);
            }
        }
        for (int user = 0; user < USERS; user++) {
            for (int item = 0; item < ITEMS; item++) {
                double liking = -2.5;
                for (int f = 0; f < 4; f++) {
                    liking += 2.5 * factors[user][f] * factors[USERS + item][f];
                }
                if (random.nextDouble() < 1 / (1 + Math.exp(-liking))) {
                    IS_TEST[user][item] = random.nextInt(5) == 0;
                    CLICKS[user][item] = IS_TEST[user][item] ? 0 : 1 + random.nextInt(3);
                } else if (random.nextInt(50) == 0) {
                    CLICKS[user][item] = -1;
                }
            }
        }
    }

    private static Map<Long, float[]> factors(Dataset<Row> of) {
        Map<Long, float[]> all = new HashMap<>();
        for (Row row : of.select("id", "features").collectAsList()) {
            List<Float> some = row.getList(1);
            float[] factors = new float[RANK];
            for (int f = 0; f < RANK; f++) {
                factors[f] = some.get(f);
            }
            all.put(((Number) row.get(0)).longValue(), factors);
        }
        return all;
    }

    private static double product(float[] one, float[] other) {
        double sum = 0;
        for (int f = 0; f < RANK; f++) {
            sum += one[f] * other[f];
        }
        return sum;
    }

    /** The loss of ALS over all pairs, for each row. */
    private static double loss(Map<Long, float[]> users, Map<Long, float[]> items) {
        double loss = 0;
        for (int user = 0; user < USERS; user++) {
            for (int item = 0; item < ITEMS; item++) {
                float[] one = requireNonNull(users.get((long) user));
                float[] other = requireNonNull(items.get((long) item));
                double clicks = CLICKS[user][item];
                double liked = clicks > 0 ? 1 : 0;
                double off = liked - product(one, other);
                loss += (1 + ALPHA * Math.abs(clicks)) * off * off
                        + liked * STRENGTH * (product(one, one) + product(other, other));
            }
        }
        return loss / training.count();
    }

    /** Returns the mean share of a user's ten best items, without those of training, that are test clicks. */
    private static double precision(Dataset<Row> recommendations) {
        double sum = 0;
        int users = 0;
        for (Row row : recommendations.collectAsList()) {
            int user = ((Number) row.get(0)).intValue();
            int seen = 0;
            int hits = 0;
            for (Object each : row.getList(1)) {
                int item = ((Number) ((Row) each).get(0)).intValue();
                if (CLICKS[user][item] == 0 && seen < 10) {
                    seen++;
                    hits += IS_TEST[user][item] ? 1 : 0;
                }
            }
            sum += hits / 10.0;
            users++;
        }
        return sum / users;
    }

    /** Returns the share of test clicks among the pairs without a rating. */
    private static double chance() {
        double tests = 0;
        double unseen = 0;
        for (int user = 0; user < USERS; user++) {
            for (int item = 0; item < ITEMS; item++) {
                tests += IS_TEST[user][item] ? 1 : 0;
                unseen += CLICKS[user][item] == 0 ? 1 : 0;
            }
        }
        return tests / unseen;
    }

    @Test
    @Tag("long")
    void theConstantsAreThoseOfSparksModel() {
        ALSModel als = new ALS()
                .setImplicitPrefs(true)
                .setAlpha(ALPHA)
                .setRank(RANK)
                .setRegParam(STRENGTH)
                .setMaxIter(EPOCHS)
                .fit(training);
        double loss = loss(factors(als.userFactors()), factors(als.itemFactors()));
        assertThat(loss).isCloseTo(LOSS_OF_SPARK, within(.01));
        assertThat(precision(als.recommendForAllUsers(ITEMS))).isCloseTo(PRECISION_OF_SPARK, within(.005));
    }

    @Test
    void theLossAndTheRecommendationsAreThoseOfSparksAls() {
        double found = loss(factors(model.userFactors()), factors(model.itemFactors()));
        assertThat(found).isLessThan(1.02 * LOSS_OF_SPARK);
        assertThat(PRECISION_OF_SPARK).isGreaterThan(3 * chance());
        assertThat(precision(model.recommendForAllUsers(ITEMS))).isGreaterThan(PRECISION_OF_SPARK - .02);
    }

    @Test
    void theHistoryHasTheLossOfAllPairsWhichEachEpochLowers() {
        List<Double> losses = model.summary().objectiveHistory();
        assertThat(losses).hasSize(EPOCHS);
        for (int i = 1; i < losses.size(); i++) {
            assertThat(losses.get(i)).isLessThan(losses.get(i - 1));
        }
        double last = loss(factors(model.userFactors()), factors(model.itemFactors()));
        assertThat(losses.get(EPOCHS - 1)).isCloseTo(last, within(1e-3 * last));
    }

    @Test
    void anInitialModelIsWhereAFitBegins(@TempDir Path folder) throws Exception {
        model.write().save(folder + "/model");
        PsMatrixFactorizationModel more = estimator()
                .setInitialModel(PsMatrixFactorizationModel.load(folder + "/model"))
                .setMaxIter(1)
                .fit(training);
        assertThat(more.summary().objectiveHistory().get(0))
                .isLessThan(model.summary().objectiveHistory().get(EPOCHS - 1));
        assertThat(more.intercept()).isZero();
        more.release();
    }

    @Test
    void columnsWithoutAMeaningAreRefused() {
        assertThatThrownBy(() -> estimator().setWeightCol("rating").fit(training))
                .hasMessage("weightCol: \"rating\" (expected: none, with implicitPrefs)");
        assertThatThrownBy(() -> estimator().fit(training.selectExpr("user", "item", "float('nan') as rating")))
                .hasStackTraceContaining("rating column \"rating\": NaN (expected: a finite number)");
        assertThatThrownBy(() -> estimator().fit(training.selectExpr("user", "int(null) as item", "rating")))
                .hasStackTraceContaining("user or item: null");
        assertThatThrownBy(() -> estimator().fit(training.selectExpr("user", "item", "0 as rating")))
                .hasMessage("rows of training with a rating other than 0: 0 (expected: at least 1)");
    }
}
