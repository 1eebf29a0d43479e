package io.psf.spark.ml;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recommendations beside those of a program that rates each pair. More users and items than a block has. */
@Timeout(180)
class RecommendationsTest {
    private static final int USERS = 2_500;
    private static final int ITEMS = 2_100;
    private static final int MOST = 7;

    private static Dataset<Row> ratings;
    private static PsMatrixFactorizationModel model;
    private static PsMatrixFactorizationModel local;
    private static Map<Long, float[]> users;
    private static Map<Long, float[]> items;

    @BeforeAll
    static void start() {
        SplittableRandom random = new SplittableRandom(5);
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            int user = i < USERS ? i : random.nextInt(USERS);
            int item = i < ITEMS ? i : random.nextInt(ITEMS);
            all.add(RowFactory.create(user - 3L, item - 3L, random.nextInt(5)));
        }
        ratings = LocalSpark.get()
                .createDataFrame(
                        all,
                        new StructType()
                                .add("who", DataTypes.LongType)
                                .add("what", DataTypes.LongType)
                                .add("rating", DataTypes.IntegerType))
                .coalesce(2)
                .localCheckpoint();
        model = new PsMatrixFactorization()
                .setUserCol("who")
                .setItemCol("what")
                .setRank(5)
                .setMaxIter(1)
                .fit(ratings);
        local = model.exported();
        users = factors(local.userFactors());
        items = factors(local.itemFactors());
    }

    @AfterAll
    static void release() {
        model.release();
    }

    /** Returns the factors of each id, and then its bias. */
    private static Map<Long, float[]> factors(Dataset<Row> of) {
        Map<Long, float[]> factors = new TreeMap<>();
        for (Row row : of.collectAsList()) {
            List<Float> some = row.getList(1);
            float[] all = new float[some.size() + 1];
            for (int f = 0; f < some.size(); f++) {
                all[f] = some.get(f);
            }
            all[some.size()] = row.getFloat(2);
            factors.put(row.getLong(0), all);
        }
        return factors;
    }

    private static double rating(float[] one, float[] other) {
        int rank = one.length - 1;
        double sum = model.intercept() + one[rank] + other[rank];
        for (int f = 0; f < rank; f++) {
            sum += one[f] * other[f];
        }
        return sum;
    }

    /** Checks every n-th row: as many as wanted, each with its rating, and none that is left out is better. */
    private static void check(List<Row> rows, int n, Map<Long, float[]> from, Map<Long, float[]> to) {
        for (int i = 0; i < rows.size(); i += n) {
            float[] one = requireNonNull(from.get(rows.get(i).getLong(0)));
            List<Row> got = rows.get(i).getList(1);
            List<Double> best = to.values().stream()
                    .map(other -> rating(one, other))
                    .sorted(Comparator.reverseOrder())
                    .limit(MOST)
                    .toList();
            assertThat(got).hasSize(MOST).doesNotHaveDuplicates();
            for (int place = 0; place < MOST; place++) {
                double given = got.get(place).getFloat(1);
                assertThat(given).isCloseTo(best.get(place), within(1e-4));
                assertThat(given)
                        .isCloseTo(
                                rating(one, requireNonNull(to.get(got.get(place).getLong(0)))), within(1e-4));
            }
        }
    }

    @Test
    void eachUserAndItemGetsTheBestOfAll() {
        for (PsMatrixFactorizationModel each : List.of(model, local)) {
            List<Row> forUsers = each.recommendForAllUsers(MOST).collectAsList();
            assertThat(forUsers).extracting(row -> row.getLong(0)).containsExactlyInAnyOrderElementsOf(users.keySet());
            check(forUsers, 400, users, items);
            List<Row> forItems = each.recommendForAllItems(MOST).collectAsList();
            assertThat(forItems).extracting(row -> row.getLong(0)).containsExactlyInAnyOrderElementsOf(items.keySet());
            check(forItems, 400, items, users);
        }
    }

    @Test
    void theUsersOfAFrameAreThoseThatTheModelHasEachOnce() {
        Dataset<Row> some = LocalSpark.get().sql("select explode(array(-3, 5, 5, int(null), 99999999, 11)) as who");
        List<Row> rows = model.recommendForUserSubset(some, MOST).collectAsList();
        assertThat(rows).extracting(row -> row.getLong(0)).containsExactlyInAnyOrder(-3L, 5L, 11L);
        check(rows, 1, users, items);
        List<Row> forItems =
                local.recommendForItemSubset(some.toDF("what"), MOST).collectAsList();
        assertThat(forItems).extracting(row -> row.getLong(0)).containsExactlyInAnyOrder(-3L, 5L, 11L);
        check(forItems, 1, items, users);
    }

    @Test
    void columnsAreThoseOfAlsWithIdsOf63Bits() {
        assertThat(model.recommendForAllUsers(2).schema().simpleString())
                .isEqualTo("struct<who:bigint,recommendations:array<struct<what:bigint,rating:float>>>");
        assertThat(model.recommendForAllItems(2).schema().simpleString())
                .isEqualTo("struct<what:bigint,recommendations:array<struct<who:bigint,rating:float>>>");
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThatThrownBy(() -> model.recommendForAllUsers(0)).hasMessage("numItems: 0 (expected: at least 1)");
        assertThatThrownBy(() -> model.recommendForUserSubset(ratings.select("what"), 1))
                .hasMessageContaining("user column \"who\": none");
    }
}
