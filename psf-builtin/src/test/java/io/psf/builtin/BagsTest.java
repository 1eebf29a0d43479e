package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.PullBags;
import io.psf.builtin.sparse.PullBagsPsf;
import io.psf.testkit.TestCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bags of keys, compared with a loop over the rows that are pulled one by one. */
class BagsTest {
    private static final TensorId W = TensorId.of("w");
    private static final int ROWS = 50;

    private static TensorSpec table(int width) {
        return TensorSpec.table("w", ROWS, width).initializer(Initializers.uniform(-1, 1, width));
    }

    /** Draws the numbers of keys of bags, of which some are empty and some long. */
    private static int[] counts(Random random, int bags) {
        return random.ints(bags, 0, 30).map(count -> Math.max(0, count - 8)).toArray();
    }

    private static long[] keys(Random random, int[] counts) {
        return random.longs(Arrays.stream(counts).sum(), 0, ROWS).toArray();
    }

    private static float[] rows(TestCluster cluster, long[] keys, int width) {
        float[] rows = new float[keys.length * width];
        Tensors.pullRows(cluster, W, keys, rows).await();
        return rows;
    }

    /** Adds the rows of each slice in their order, and then the sums of the slices. */
    private static float[] pooled(
            TestCluster cluster, long[] keys, int[] counts, Pooling pooling, float[] rows, int width) {
        float[] pooled = new float[counts.length * width];
        for (int slice = 0; slice < cluster.slices(); slice++) {
            for (int bag = 0, at = 0; bag < counts.length; at += counts[bag++]) {
                float[] sum = new float[width];
                for (int i = at; i < at + counts[bag]; i++) {
                    if (cluster.shard(W, slice).owns(keys[i])) {
                        for (int c = 0; c < width; c++) {
                            sum[c] += rows[i * width + c];
                        }
                    }
                }
                for (int c = 0; c < width; c++) {
                    pooled[bag * width + c] += sum[c];
                }
            }
        }
        for (int bag = 0; bag < counts.length && pooling == Pooling.MEAN; bag++) {
            for (int c = 0; c < width && counts[bag] > 0; c++) {
                pooled[bag * width + c] /= counts[bag];
            }
        }
        return pooled;
    }

    private static float[] pull(TestCluster cluster, long[] keys, int[] counts, Pooling pooling, int width) {
        float[] into = new float[counts.length * width];
        Arrays.fill(into, Float.NaN);
        Tensors.pullBags(cluster, W, keys, counts, pooling, into).await();
        return into;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 3", "3, 64", "7, 5", "2, 2048", "2, 5000"})
    void randomBagsAreSummedAsInALoop(int servers, int width) {
        TestCluster cluster = BuiltinCluster.with(table(width), servers);
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            int[] counts = counts(random, random.nextInt(40));
            long[] keys = keys(random, counts);
            float[] rows = rows(cluster, keys, width);
            for (Pooling pooling : Pooling.values()) {
                assertThat(pull(cluster, keys, counts, pooling, width))
                        .as("%s, seed %s", pooling, seed)
                        .isEqualTo(pooled(cluster, keys, counts, pooling, rows, width));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Pooling.class)
    void rowsOfAGrowingTableAreSummedAndNoneIsMade(Pooling pooling) {
        TensorSpec growing = TensorSpec.growing("w", 6)
                .initializer(Initializers.uniform(-1, 1, 3))
                .optimizer(Optimizers.sgd(1));
        for (int servers : new int[] {1, 3}) {
            TestCluster cluster = BuiltinCluster.with(growing, servers);
            long[] some = new Random(1).longs(20, 0, ROWS).toArray();
            Tensors.pushRows(cluster, W, some, new float[some.length * 6]).await();
            long[] present = cluster.keys(W);
            Random random = new Random(2);
            int[] counts = counts(random, 40);
            long[] keys = keys(random, counts);
            assertThat(Arrays.stream(keys).distinct().count()).isGreaterThan(present.length);
            float[] rows = rows(cluster, keys, 6);
            assertThat(pull(cluster, keys, counts, pooling, 6))
                    .isEqualTo(pooled(cluster, keys, counts, pooling, rows, 6));
            assertThat(cluster.keys(W)).isEqualTo(present);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FloatType.class,
            names = {"FLOAT16", "BFLOAT16"})
    void valuesOf16BitsAreSummedInFloat32(FloatType type) {
        TestCluster cluster = BuiltinCluster.with(table(24).storage(type), 2);
        Random random = new Random(3);
        int[] counts = counts(random, 20);
        long[] keys = keys(random, counts);
        assertThat(pull(cluster, keys, counts, Pooling.SUM, 24))
                .isEqualTo(pooled(cluster, keys, counts, Pooling.SUM, rows(cluster, keys, 24), 24));
    }

    private static double error(FloatType wire) {
        return switch (wire) {
            case FLOAT32 -> 1e-6;
            case FLOAT16 -> 0x1p-11;
            case BFLOAT16 -> 0x1p-8;
            case INT8 -> 1 / 250.0; // of the largest value of a row, which is less than twice any other one
        };
    }

    @ParameterizedTest
    @EnumSource(FloatType.class)
    void sumsAreRoundedOnceToTheFormatInWhichTheyAreSent(FloatType wire) {
        TensorSpec spec = table(24).initializer(Initializers.uniform(0.5, 1, 7)).wire(wire);
        TestCluster cluster = BuiltinCluster.with(spec, 3);
        float[] stored = cluster.values(W);
        Random random = new Random(4);
        int[] counts = counts(random, 100);
        long[] keys = keys(random, counts);
        float[] rows = new float[keys.length * 24];
        for (int i = 0; i < keys.length; i++) {
            System.arraycopy(stored, (int) keys[i] * 24, rows, i * 24, 24);
        }
        for (Pooling pooling : Pooling.values()) {
            float[] exact = pooled(cluster, keys, counts, pooling, rows, 24);
            float[] pulled = pull(cluster, keys, counts, pooling, 24);
            for (int i = 0; i < exact.length; i++) {
                assertThat((double) pulled[i])
                        .as("%s, value %s", pooling, i)
                        .isCloseTo(exact[i], within(2 * error(wire) * exact[i]));
            }
            assertThat(Arrays.equals(pulled, exact)).isEqualTo(wire == FloatType.FLOAT32);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void bagsWithoutKeysAreZeros(int servers) {
        TestCluster cluster = BuiltinCluster.with(table(2), servers);
        assertThat(pull(cluster, new long[0], new int[0], Pooling.MEAN, 2)).isEmpty();
        assertThat(pull(cluster, new long[0], new int[3], Pooling.MEAN, 2)).containsOnly(0);
        float[] last = rows(cluster, new long[] {49}, 2);
        assertThat(pull(cluster, new long[] {49, 49}, new int[] {0, 0, 2, 0}, Pooling.MEAN, 2))
                .containsExactly(0, 0, 0, 0, last[0], last[1], 0, 0);
        PullBags.Response answer = PullBagsPsf.stub(cluster)
                .call(W, LongArray.of(49, 49), IntArray.of(1, 1), 3, false)
                .await();
        assertThat(answer.bags().toArray()).containsExactly(0, 1, 2);
        assertThat(answer.rows().toArray()).containsExactly(0, 0, 2 * last[0], 2 * last[1], 0, 0);
    }

    @ParameterizedTest
    @EnumSource(Pooling.class)
    void anUpdateOfBagsIsThatOfTheirKeys(Pooling pooling) {
        for (int servers : new int[] {1, 3}) {
            TensorSpec spec = table(4).optimizer(Optimizers.adam(0.1));
            TestCluster bags = BuiltinCluster.with(spec, servers);
            TestCluster each = BuiltinCluster.with(spec, servers);
            for (int seed = 0; seed < 10; seed++) {
                Random random = new Random(seed);
                int[] counts = counts(random, 20);
                long[] keys = keys(random, counts);
                float[] update = new float[counts.length * 4];
                float[] expanded = new float[keys.length * 4];
                int at = 0;
                for (int bag = 0; bag < counts.length; bag++) {
                    for (int c = 0; c < 4; c++) {
                        update[bag * 4 + c] = (float) random.nextGaussian();
                    }
                    for (int i = 0; i < counts[bag] * 4; i++) {
                        float of = update[bag * 4 + i % 4];
                        expanded[at++] = pooling == Pooling.MEAN ? of / counts[bag] : of;
                    }
                }
                float[] given = update.clone();
                Tensors.pushBags(bags, W, keys, counts, pooling, update).await();
                Tensors.pushRows(each, W, keys, expanded).await();
                assertThat(Tensors.pull(bags, W)).as("seed %s", seed).isEqualTo(Tensors.pull(each, W));
                assertThat(update).isEqualTo(given);
            }
            assertThat(Tensors.pull(bags, W)).isNotEqualTo(Tensors.pull(BuiltinCluster.with(spec, servers), W));
        }
    }

    @Test
    void anUpdateOfBagsMakesTheRowsOfAGrowingTable() {
        TestCluster cluster = BuiltinCluster.with(TensorSpec.growing("w", 2).optimizer(Optimizers.add(1)), 2);
        long[] keys = {-7, 1L << 40, -7, 3};
        Tensors.pushBags(cluster, W, keys, new int[] {3, 0, 1}, Pooling.MEAN, new float[] {3, 6, 9, 9, 1, 2})
                .await();
        assertThat(rows(cluster, keys, 2)).containsExactly(2, 4, 1, 2, 2, 4, 1, 2);
    }

    /** The gradient of half of the squares' sum is the pooled row: one step of SGD is checked by finite differences. */
    @ParameterizedTest
    @EnumSource(Pooling.class)
    void aPushOfTheGradientLowersTheLossAsDifferencesSay(Pooling pooling) {
        TestCluster cluster = BuiltinCluster.with(table(3).optimizer(Optimizers.add(1)), 2);
        long[] keys = {4, 40, 4, 7, 40};
        int[] counts = {2, 0, 3};
        float[] before = Tensors.pull(cluster, W);
        Tensors.pushBags(cluster, W, keys, counts, pooling, pull(cluster, keys, counts, pooling, 3))
                .await();
        float[] after = Tensors.pull(cluster, W);
        for (int row : new int[] {4, 7, 40, 41}) {
            for (int c = 0; c < 3; c++) {
                int at = row * 3 + c;
                double slope =
                        (loss(before, keys, counts, pooling, at, 1e-3) - loss(before, keys, counts, pooling, at, -1e-3))
                                / 2e-3;
                assertThat((double) after[at] - before[at]).as("row %s", row).isCloseTo(slope, within(1e-5));
            }
        }
    }

    private static double loss(float[] values, long[] keys, int[] counts, Pooling pooling, int at, double change) {
        double loss = 0;
        for (int bag = 0, first = 0; bag < counts.length; first += counts[bag++]) {
            for (int c = 0; c < 3 && counts[bag] > 0; c++) {
                double sum = 0;
                for (int i = first; i < first + counts[bag]; i++) {
                    int of = (int) keys[i] * 3 + c;
                    sum += values[of] + (of == at ? change : 0);
                }
                double pooled = pooling == Pooling.MEAN ? sum / counts[bag] : sum;
                loss += pooled * pooled / 2;
            }
        }
        return loss;
    }

    @Test
    void aWrongLengthNamesWhatWasGivenAndWhatWasExpected() {
        TestCluster cluster = BuiltinCluster.with(table(2), 2);
        long[] keys = {1, 2, 3};
        requireBad(
                () -> Tensors.pullBags(cluster, W, keys, new int[] {1, 1}, Pooling.SUM, new float[4]),
                "sum of counts: 2 (expected: 3, the number of keys) in bags of tensor \"w\"");
        requireBad(
                () -> Tensors.pullBags(cluster, W, keys, new int[] {4, -1}, Pooling.SUM, new float[4]),
                "counts[1]: -1 (expected: >= 0, the number of keys of the bag)");
        requireBad(
                () -> Tensors.pullBags(cluster, W, keys, new int[] {1, 2}, Pooling.SUM, new float[5]),
                "into length: 5 (expected: 4 = 2 bags x 2 wide)");
        requireBad(
                () -> Tensors.pushBags(cluster, W, keys, new int[] {1, 2}, Pooling.SUM, new float[6]),
                "update length: 6 (expected: 4 = 2 bags x 2 wide)");
        requireBad(
                () -> Tensors.pullBags(cluster, TensorId.of("x"), keys, new int[] {3}, Pooling.SUM, new float[2]),
                "UNKNOWN_TENSOR");
        requireBad(
                () -> Tensors.pullBags(cluster, W, new long[] {ROWS}, new int[] {1}, Pooling.SUM, new float[2])
                        .await(),
                "OUT_OF_RANGE");
    }

    private static void requireBad(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(PsException.class).hasMessageContaining(message);
    }

    @Test
    void bagsThatDoNotAscendAndANegativeNumberOfThemAreRefused() {
        TestCluster cluster = BuiltinCluster.with(table(2), 1);
        for (int[] bags : new int[][] {{1, 0}, {0, 2}, {-1, 0}, {0, Integer.MIN_VALUE}}) {
            assertThatThrownBy(() -> PullBagsPsf.stub(cluster)
                            .call(W, LongArray.of(1, 2), IntArray.wrap(bags), 2, false)
                            .await())
                    .hasMessageContaining("BAD_REQUEST: bag of key ")
                    .hasMessageContaining("(expected: ascending numbers from 0, less than the number of bags)");
        }
        assertThatThrownBy(() -> PullBagsPsf.stub(cluster)
                        .call(W, LongArray.of(1), IntArray.of(0), -1, false)
                        .await())
                .hasMessageContaining("BAD_REQUEST: bag of key 0: 0 after -1, of -1 bags");
        assertThatThrownBy(() -> PullBagsPsf.stub(cluster)
                        .call(W, LongArray.of(), IntArray.of(), -1, false)
                        .await())
                .hasMessageContaining("BAD_REQUEST: number of bags: -1 (expected: >= 0)");
    }

    @Test
    void anArrayIsFilledOnceByWhateverTakesTheAnswer() {
        TestCluster cluster = BuiltinCluster.with(table(2), 2);
        float[] row = rows(cluster, new long[] {5}, 2);
        float[] into = new float[2];
        Pending<PullBags.Response> pending =
                Tensors.pullBags(cluster, W, new long[] {5}, new int[] {1}, Pooling.SUM, into);
        assertThat(pending.toCompletableFuture().join().rows().toArray()).isEqualTo(row);
        assertThat(into).isEqualTo(row);
        assertThat(pending.isDone()).isTrue();
        assertThat(pending.cancel()).isFalse();
        Arrays.fill(into, 7);
        assertThat(pending.await(Duration.ofSeconds(1)).rows().toArray()).isEqualTo(row);
        assertThat(into).as("the caller's again").containsOnly(7);
    }
}
