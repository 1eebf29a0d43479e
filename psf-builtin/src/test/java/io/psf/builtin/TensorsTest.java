package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.ShardBytes;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.testkit.TestCluster;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Tensors} on the test kit's cluster, as on a worker. */
class TensorsTest {
    private static final TensorSpec SPEC = TensorSpec.dense("w", 40, 3).initializer(Initializers.uniform(-1, 1, 7));

    private static void assertUnknown(TestCluster cluster, TensorId tensor) {
        assertThatThrownBy(() -> Tensors.pull(cluster, tensor))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.UNKNOWN_TENSOR));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void aTensorIsInitializedPushedPulledAndCleared(int slices) {
        TestCluster cluster = BuiltinCluster.functions().on(slices);
        TensorId w = Tensors.init(cluster, SPEC);
        assertThat(cluster.layout(w).slices()).isEqualTo(slices);
        float[] before = Tensors.pull(cluster, w);
        assertThat(before).isEqualTo(Tensors.pull(BuiltinCluster.with(SPEC, 1), w));
        float[] ones = new float[120];
        Arrays.fill(ones, 1);
        Tensors.push(cluster, w, ones).await();
        Tensors.pushRows(cluster.worker(0), w, new long[] {39, 0, 39}, new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9})
                .await();
        float[] rows = new float[9];
        Tensors.pullRows(cluster, w, new long[] {0, 39, 20}, rows).await();
        for (int c = 0; c < 3; c++) {
            assertThat(rows[c]).isEqualTo(before[c] + 1 + (4 + c));
            assertThat(rows[3 + c]).isEqualTo(before[117 + c] + 1 + (8 + 2 * c));
            assertThat(rows[6 + c]).isEqualTo(before[60 + c] + 1);
        }
        assertThat(cluster.values(w)).isEqualTo(Tensors.pull(cluster, w));

        Tensors.clear(cluster, w);
        assertUnknown(cluster, w);
        Tensors.init(cluster, TensorSpec.table("w", 5, 2));
        assertThat(Tensors.pull(cluster, w)).containsOnly(0).hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void allTensorsAreListedWithTheirMemory(int servers) {
        TestCluster cluster = BuiltinCluster.functions().on(servers);
        assertThat(Tensors.list(cluster)).isEmpty();
        TensorId w = Tensors.init(cluster, SPEC.optimizer(Optimizers.momentum(0.1, 0.9)));
        TensorSpec a = TensorSpec.table("a", 5, 2).storage(FloatType.BFLOAT16).wire(FloatType.INT8);
        Tensors.init(cluster, a);
        TensorId grown = Tensors.init(cluster, TensorSpec.growing("grown", 2));
        Tensors.push(cluster, w, new float[120]).await();
        Tensors.pushRows(cluster, grown, new long[] {-7, 9, 9}, new float[6]).await();

        List<TensorSummary> all = Tensors.list(cluster);
        assertThat(all).extracting(each -> each.tensor().id().name()).containsExactly("a", "grown", "w");
        TensorSummary dense = all.get(2);
        assertThat(dense.tensor()).isEqualTo(SPEC.tensor());
        assertThat(all.get(0).tensor()).isEqualTo(a.tensor());
        assertThat(dense.slices()).isEqualTo(servers);
        assertThat(dense.rows()).isEqualTo(40);
        assertThat(dense.bytes()).isEqualTo(new ShardBytes(40 * 3 * 4, 40 * 3 * 4, 0, 0));
        assertThat(dense.placements()).containsExactly(Node.HOST);
        assertThat(dense.optimizer()).startsWith("Momentum").contains("0.9");
        assertThat(dense.declaration()).startsWith("[40, 3] slices=" + servers).contains("psf.uniform");
        assertThat(dense.parts()).hasSize(servers);
        assertThat(dense.parts()).extracting(TensorSummary.Part::server).isSorted();
        assertThat(all.get(1).tensor().grows()).isTrue();
        assertThat(all.get(1).rows()).isEqualTo(2);

        Tensors.clear(cluster, w);
        assertThat(Tensors.list(cluster)).hasSize(2);
    }

    @Test
    void theSameSpecFindsTheTensorAndAnotherIsRefused() {
        TestCluster cluster = BuiltinCluster.with(SPEC, 3);
        float[] update = new float[120];
        update[5] = 1;
        TensorId w = SPEC.tensor().id();
        Tensors.push(cluster, w, update).await();
        float[] pushed = Tensors.pull(cluster, w);
        TensorCaller other = cluster.worker(0);
        assertThat(Tensors.init(other, SPEC)).isEqualTo(w);
        assertThat(Tensors.pull(other, w)).isEqualTo(pushed);
        assertThatThrownBy(() -> Tensors.init(cluster, SPEC.updates(Updates.SUM)))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.ALREADY_EXISTS))
                .hasMessageContaining("updates=SUM")
                .hasMessageContaining("updates=EACH");
    }

    @Test
    void aTestHasHostMemoryAlone() {
        TestCluster cluster = BuiltinCluster.functions().on(2);
        TensorId w = Tensors.init(cluster, TensorSpec.dense("w", 4).deviceOrHost());
        assertThat(Tensors.pull(cluster, w)).containsOnly(0);
        assertThatThrownBy(() -> Tensors.init(cluster, TensorSpec.dense("v", 4).device()))
                .hasMessageContaining("BAD_REQUEST")
                .hasMessageContaining(
                        "placement of tensor \"v\": \"device\" (expected: one that this server has: host)");
    }

    @Test
    void aTensorBesideAnotherHasItsSlices() {
        TestCluster cluster = BuiltinCluster.with(SPEC, 3);
        TensorId w = SPEC.tensor().id();
        TensorId beside = Tensors.init(cluster, TensorSpec.growing("g", 2).beside(w));
        assertThat(cluster.layout(beside).meets(cluster.layout(w))).isTrue();
        assertThatThrownBy(
                        () -> Tensors.init(cluster, TensorSpec.table("t", 2, 1).beside(w)))
                .hasMessageContaining("slices of tensor \"t\" beside \"w\": 2 at most, one for each row (expected: 3");
        TensorId few = Tensors.init(cluster, TensorSpec.table("few", 2, 1));
        assertThat(cluster.layout(few).servers()).isEqualTo(List.of(0, 1));
        Tensors.push(cluster, few, new float[] {1, 2}).await();
        assertThat(Tensors.pull(cluster, few)).containsExactly(1, 2);
    }

    @Test
    void roundsWaitForEachWorkerOfTheTest() {
        TestCluster cluster = BuiltinCluster.functions().workers(2).on(3);
        TensorId w = Tensors.init(cluster, TensorSpec.dense("w", 4).updates(Updates.SUM));
        var first = Tensors.push(cluster.worker(0), w, new float[] {1, 2, 3, 4});
        assertThat(first.isDone()).isFalse();
        Tensors.push(cluster.worker(1), w, new float[] {10, 20, 30, 40}).await();
        assertThat(first.isDone()).isTrue();
        assertThat(Tensors.pull(cluster, w)).containsExactly(11, 22, 33, 44);
    }

    @Test
    void aTensorWithoutShardsIsUnknown() {
        TestCluster cluster = BuiltinCluster.functions().on(2);
        TensorId w = SPEC.tensor().id();
        assertUnknown(cluster, w);
        cluster.declare(List.of(SPEC.declared()));
        assertUnknown(cluster, w);
    }
}
