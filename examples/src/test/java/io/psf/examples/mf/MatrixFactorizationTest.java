package io.psf.examples.mf;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MatrixFactorizationTest {
    private static final TensorId USERS = TensorId.of("users");
    private static final TensorId ITEMS = TensorId.of("items");
    private static final int RANK = 3;

    private static PsfTest<MatrixFactorization.Request, MatrixFactorization.Response> test() {
        return PsfTest.of(MatrixFactorizationPsf.bind(new MatrixFactorization() {}));
    }

    private static LongArray keys(Random random, int rows) {
        return LongArray.wrap(random.longs(random.nextInt(12), 0, rows).toArray());
    }

    /** Multiples of 1/8, so that sums do not depend on their order. */
    private static FloatArray gradient(Random random, int length) {
        FloatArray gradient = FloatArray.allocate(length);
        for (int i = 0; i < length; i++) {
            gradient.set(i, random.nextInt(64) / 8f);
        }
        return gradient;
    }

    private static MatrixFactorization.Request request(Random random) {
        LongArray user = keys(random, 30);
        LongArray item = keys(random, 11);
        return new MatrixFactorization.Request(
                USERS,
                ITEMS,
                0.5f,
                user,
                gradient(random, user.length() * RANK),
                item,
                gradient(random, item.length() * 2));
    }

    @Test
    void answersAndLeavesTheSameInBothTablesOnAnySlices() {
        test().tensor(USERS, 30, RANK).tensor(ITEMS, 11, 2).sameOnAnySlices(50, MatrixFactorizationTest::request);
    }

    @Test
    void oneTableMayGrowOrBoth() {
        test().growing(USERS, RANK).tensor(ITEMS, 11, 2).sameOnAnySlices(20, MatrixFactorizationTest::request);
        test().tensor(USERS, 30, RANK).growing(ITEMS, 2).sameOnAnySlices(20, MatrixFactorizationTest::request);
        test().growing(USERS, RANK).growing(ITEMS, 2).sameOnAnySlices(20, MatrixFactorizationTest::request);
    }

    /** Ratings of rank 1, of users that come as they like and a fixed number of items. */
    @Test
    void learnsRatingsOnTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId users =
                    Tensors.init(worker, TensorSpec.growing("users", RANK).initializer(Initializers.normal(0, 0.5, 7)));
            TensorId items = Tensors.init(
                    worker,
                    TensorSpec.table("items", 8, RANK)
                            .initializer(Initializers.normal(0, 0.5, 8))
                            .beside(users));
            MatrixFactorizationPsf.Stub step = MatrixFactorizationPsf.stub(worker);
            int n = 12 * 8;
            LongArray user = LongArray.allocate(n);
            LongArray item = LongArray.allocate(n);
            for (int i = 0; i < n; i++) {
                user.set(i, -1_000_003L * (i / 8));
                item.set(i, i % 8);
            }
            FloatArray ofUser = FloatArray.allocate(n * RANK);
            FloatArray ofItem = FloatArray.allocate(n * RANK);
            double first = 0;
            double loss = 0;
            for (int epoch = 0; epoch < 300; epoch++) {
                MatrixFactorization.Response rows = step.call(users, items, 0.02f, user, ofUser, item, ofItem)
                        .await();
                loss = 0;
                for (int i = 0; i < n; i++) {
                    FloatArray u = rows.user().slice(i * RANK, (i + 1) * RANK);
                    FloatArray v = rows.item().slice(i * RANK, (i + 1) * RANK);
                    double rating = (1 + i / 8 % 3) * (i % 8 - 3.5) / 4;
                    float error = (float) (u.dot(v) - rating);
                    loss += error * error / n;
                    for (int k = 0; k < RANK; k++) {
                        ofUser.set(i * RANK + k, error * v.get(k));
                        ofItem.set(i * RANK + k, error * u.get(k));
                    }
                }
                first = epoch == 0 ? loss : first;
            }
            assertThat(first).isGreaterThan(0.5);
            assertThat(loss).isLessThan(0.01 * first);
        }
    }
}
