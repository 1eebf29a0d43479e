package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.dense.DensePushPullPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushDensePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.sparse.SparsePushPull;
import io.psf.builtin.sparse.SparsePushPullPsf;
import io.psf.testkit.TestCluster;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each function through its routing, codec, handler and merge, over the shards of 1, 2, 3 and 7 servers. */
class FunctionsTest {
    private static final TensorId W = TensorId.of("w");
    private static final int ROWS = 40;
    private static final int WIDTH = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void whatIsPushedIsPulled(int servers) { // HT-1
        TestCluster caller = BuiltinCluster.with(TensorSpec.dense("w", ROWS, WIDTH), servers);
        float[] a = gradient(new Random(servers), ROWS * WIDTH);
        DensePushPsf.stub(caller).call(W, FloatArray.wrap(a)).await();
        assertThat(pull(caller)).isEqualTo(a);
        FloatArray ones = FloatArray.allocate(a.length);
        ones.fill(1);
        float[] after =
                DensePushPullPsf.stub(caller).call(W, ones).await().values().toArray();
        for (int i = 0; i < a.length; i++) {
            assertThat(after[i]).isEqualTo(a[i] + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void sparsePushesCountOccurrences(int servers) { // HT-2
        TestCluster caller = BuiltinCluster.with(TensorSpec.table("w", ROWS, WIDTH), servers);
        Random random = new Random(servers);
        long[] keys = random.longs(30, 0, ROWS).toArray();
        float[] ones = new float[keys.length * WIDTH];
        Arrays.fill(ones, 1);
        float[] count = new float[ROWS * WIDTH];
        for (long key : keys) {
            for (int c = 0; c < WIDTH; c++) {
                count[(int) key * WIDTH + c]++;
            }
        }
        LongArray ids = LongArray.wrap(keys);
        FloatArray update = FloatArray.wrap(ones);

        SparsePushPsf.stub(caller).call(W, ids, update).await();
        assertThat(pull(caller)).isEqualTo(count);

        float[] doubled = SparsePushDensePullPsf.stub(caller)
                .call(W, ids, update)
                .await()
                .values()
                .toArray();
        assertThat(doubled).isEqualTo(times(2, count));

        long[] wanted = random.longs(50, 0, ROWS).toArray();
        float[] into = new float[wanted.length * WIDTH];
        SparsePushPullPsf.stub(caller)
                .call(W, ids, update, LongArray.wrap(wanted), new SparsePushPull.Response(FloatArray.wrap(into)))
                .await();
        assertThat(into).isEqualTo(rows(times(3, count), wanted));
        assertThat(SparsePullPsf.stub(caller)
                        .call(W, LongArray.wrap(wanted))
                        .await()
                        .values()
                        .toArray())
                .isEqualTo(into);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void keysThatTouchOnlyTheLastSliceAreServed(int servers) {
        TestCluster caller = BuiltinCluster.with(TensorSpec.table("w", ROWS, WIDTH), servers);
        LongArray last = LongArray.of(ROWS - 1, ROWS - 1);
        SparsePushPsf.stub(caller)
                .call(W, last, FloatArray.of(1, 2, 3, 4, 5, 6))
                .await();
        assertThat(SparsePullPsf.stub(caller).call(W, last).await().values().toArray())
                .containsExactly(5, 7, 9, 5, 7, 9);
    }

    @Test
    void everyShardHearsOfASparsePushAndOnlyTheOwnersOfAPull() {
        AtomicInteger requests = new AtomicInteger();
        TestCluster caller = BuiltinCluster.functions()
                .and(SparsePushPsf.bind(new SparsePush() {
                    @Override
                    public CompletionStage<SparsePush.Response> handle(SparsePush.Request slice, Shard shard) {
                        requests.incrementAndGet();
                        return SparsePush.super.handle(slice, shard);
                    }
                }))
                .and(SparsePullPsf.bind(new SparsePull() {
                    @Override
                    public SparsePull.Response handle(SparsePull.Request slice, Shard shard) {
                        requests.incrementAndGet();
                        return SparsePull.super.handle(slice, shard);
                    }
                }))
                .on(3);
        Tensors.init(caller, TensorSpec.table("w", ROWS, WIDTH));
        SparsePushPsf.stub(caller)
                .call(W, LongArray.of(0), FloatArray.allocate(WIDTH))
                .await();
        assertThat(requests).hasValue(3);
        SparsePullPsf.stub(caller).call(W, LongArray.of(0)).await();
        assertThat(requests).hasValue(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void emptyPushesAndPullsChangeNothing(int servers) { // MX-3
        TensorSpec spec = TensorSpec.table("w", ROWS, WIDTH)
                .initializer(Initializers.constant(1))
                .optimizer(Optimizers.adam(0.1f));
        TestCluster caller = BuiltinCluster.with(spec, servers);
        LongArray none = LongArray.allocate(0);
        for (int i = 0; i < 7; i++) {
            SparsePushPsf.stub(caller).call(W, none, FloatArray.allocate(0)).await();
        }
        assertThat(SparsePullPsf.stub(caller).call(W, none).await().values().length())
                .isZero();
        assertThat(pull(caller)).containsOnly(1);
    }

    @Test
    void aTensorIsTheSameOnAnyNumberOfServers() { // HT-3
        for (Initializer first : new Initializer[] {
            Initializers.constant(1234.567),
            Initializers.uniform(-0.5, 0.4, 7),
            Initializers.normal(5.6, 2, 7),
            Initializers.truncatedNormal(-2.3, 1.4, 7)
        }) {
            TensorSpec spec = TensorSpec.dense("w", ROWS, WIDTH).initializer(first);
            float[] one = pull(BuiltinCluster.with(spec, 1));
            assertThat(pull(BuiltinCluster.with(spec, 2))).as("%s", first).isEqualTo(one);
            assertThat(pull(BuiltinCluster.with(spec, 3))).as("%s", first).isEqualTo(one);
        }
    }

    @Test
    void optimizersStepAlikeOnAnyNumberOfServers() { // HT-9's other half: the slicing adds nothing
        for (OptimizerSpec optimizer :
                new OptimizerSpec[] {Optimizers.momentum(0.1f, 0.9f), Optimizers.adaGrad(0.1f), Optimizers.adam(0.1f)
                }) {
            TensorSpec spec = TensorSpec.table("w", ROWS, WIDTH).optimizer(optimizer);
            TestCluster one = BuiltinCluster.with(spec, 1);
            TestCluster three = BuiltinCluster.with(spec, 3);
            Random random = new Random(9);
            for (int step = 0; step < 20; step++) {
                LongArray keys = LongArray.wrap(random.longs(10, 0, ROWS).toArray());
                FloatArray update = FloatArray.wrap(gradient(random, 10 * WIDTH));
                SparsePushPsf.stub(one).call(W, keys, update).await();
                SparsePushPsf.stub(three).call(W, keys, update).await();
            }
            assertThat(pull(three)).as("%s", optimizer).containsExactly(pull(one), within(0f));
        }
    }

    @Test
    void aWrongPullKeyOfAPushPullPushesNothing() {
        TestCluster caller = BuiltinCluster.with(TensorSpec.table("w", ROWS, WIDTH), 2);
        assertThatThrownBy(() -> SparsePushPullPsf.stub(caller)
                        .call(W, LongArray.of(0), FloatArray.of(1, 1, 1), LongArray.of(ROWS)))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.OUT_OF_RANGE))
                .hasMessageContaining("pullKeys[0]: 40 (expected: a row in [0, 40))");
        assertThat(pull(caller)).containsOnly(0);
    }

    private static float[] pull(TestCluster caller) {
        return DensePullPsf.stub(caller).call(W).await().values().toArray();
    }

    private static float[] gradient(Random random, int n) {
        float[] g = new float[n];
        for (int i = 0; i < n; i++) {
            g[i] = (float) random.nextGaussian();
        }
        return g;
    }

    private static float[] times(float a, float[] x) {
        float[] y = new float[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = a * x[i];
        }
        return y;
    }

    private static float[] rows(float[] matrix, long[] keys) {
        float[] rows = new float[keys.length * WIDTH];
        for (int i = 0; i < keys.length; i++) {
            System.arraycopy(matrix, (int) keys[i] * WIDTH, rows, i * WIDTH, WIDTH);
        }
        return rows;
    }
}
