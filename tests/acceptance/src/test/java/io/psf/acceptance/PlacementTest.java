package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors whose shards another factory makes. */
@Timeout(60)
final class PlacementTest {
    private static final TensorSpec COUNTING =
            TensorSpec.dense("counting", 10).slices(4).placement(CountingFactory.COUNTING);

    private static float[] ones() {
        float[] ones = new float[10];
        java.util.Arrays.fill(ones, 1);
        return ones;
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void theShardsOfAPlacementAreThoseOfItsFactory(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING);
            TensorId host = Tensors.init(worker, TensorSpec.dense("host", 10).slices(4));
            Tensors.push(worker, tensor, ones()).await();
            Tensors.push(worker, host, ones()).await();
            long before = CountReadsPsf.stub(worker).call(tensor).await().reads();
            assertThat(Tensors.pull(worker, tensor)).containsExactly(ones());
            assertThat(Tensors.pull(worker, host)).containsExactly(ones());
            assertThat(CountReadsPsf.stub(worker).call(tensor).await().reads()).isEqualTo(before + 4);
            Tensors.clear(worker, tensor);
            assertThat(Tensors.pull(worker, Tensors.init(worker, COUNTING))).containsOnly(0);
        }
    }

    @Test
    void aShardThatWrapsAnotherOneCountsEachPullOnceAndNoStep() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING.optimizer(Optimizers.sgd(1)));
            CountReadsPsf.Stub reads = CountReadsPsf.stub(worker);
            long before = reads.call(tensor).await().reads();
            Tensors.push(worker, tensor, ones()).await();
            assertThat(reads.call(tensor).await().reads()).as("a push").isEqualTo(before);
            float[] into = new float[10];
            Tensors.pushPull(worker, tensor, ones(), into).await();
            assertThat(into).containsOnly(-2);
            assertThat(reads.call(tensor).await().reads()).as("push and pull").isEqualTo(before + 4);
            Tensors.pushRowsPull(worker, tensor, new long[] {9}, new float[] {1}, into)
                    .await();
            assertThat(into).contains(-3, org.assertj.core.data.Index.atIndex(9));
            assertThat(reads.call(tensor).await().reads()).as("by key").isEqualTo(before + 8);
        }
    }

    @Test
    void aShardThatWrapsAnotherOneIsSavedAndLoaded(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING);
            Tensors.push(worker, tensor, ones()).await();
            Tensors.save(worker, tensor, "saved");
            Tensors.push(worker, tensor, ones()).await();
            Tensors.load(worker, tensor, "saved");
            assertThat(Tensors.pull(worker, tensor)).containsOnly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void aHandlerIsChosenForTheKindOfTheShard(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING);
            TensorId host = Tensors.init(worker, TensorSpec.dense("host", 10).slices(4));
            NameHandlerPsf.Stub handler = NameHandlerPsf.stub(worker);
            assertThat(handler.call(tensor).await()).isEqualTo(new NameHandler.Response(0, 4));
            assertThat(handler.call(host).await()).isEqualTo(new NameHandler.Response(4, 0));
            assertThatThrownBy(() -> CountReadsPsf.stub(worker).call(host).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("UNKNOWN_FUNCTION: handler of \"acceptance.reads\" for shards of"
                            + " io.psf.runtime.internal.server.shard.HostShard: none (expected: one that serves this kind of"
                            + " shard; this node has io.psf.acceptance.CountReads for"
                            + " io.psf.acceptance.CountingShard)");
        }
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void aPinnedLaneKeepsToItsThread(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING.placement(PinnedFactory.PINNED));
            for (int i = 0; i < 100; i++) {
                Tensors.push(worker, tensor, ones()).await();
            }
            assertThat(CountReadsPsf.stub(worker).call(tensor).await().threads())
                    .isEqualTo(4);
            assertThat(Tensors.pull(worker, tensor)).containsOnly(100);
        }
    }

    @Test
    void anErrorOfAPinnedShardIsTheAnswer() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorSpec wide = TensorSpec.growing("w", Integer.MAX_VALUE).placement(PinnedFactory.PINNED);
            assertThatThrownBy(() -> Tensors.init(worker, wide))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("RESOURCE_EXHAUSTED")
                    .hasMessageContaining("a row of " + Integer.MAX_VALUE + " wide");
        }
    }

    @Test
    void aTensorWhoseShardsCannotBeSavedSaysSo(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(1).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, COUNTING.placement(UnsavedFactory.UNSAVED));
            assertThatThrownBy(() -> Tensors.save(worker, tensor, "saved"))
                    .hasMessageContaining("UNKNOWN_FUNCTION: shard of tensor \"" + tensor + "\": ")
                    .hasMessageContaining("(expected: a kind of shard that is saved and loaded, StoredShard)");
        }
    }

    @Test
    void aPlacementThatNoServerHasIsNamed() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorSpec unknown = TensorSpec.dense("w", 10).placement("device:7");
            assertThatThrownBy(() -> Tensors.init(worker, unknown))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("BAD_REQUEST")
                    .hasMessageContaining("placement of tensor \"w\": \"device:7\" (expected: one that this server has:"
                            + " counting, host, pinned, together, unsaved)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"device,host", "device:0, host", "device:7, device, host"})
    void aSliceIsAtTheNextPlacementIfMemoryDoesNotSuffice(String placement) {
        int before = ScarceFactory.GIVEN_UP.get();
        try (Log log = Log.of("io.psf.runtime.internal.server.node.NodeShards");
                PsCluster cluster = PsCluster.builder().lanes(2).devices(0).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = TensorSpec.dense("w", 10).slices(3).placement(placement);
            TensorId tensor = Tensors.init(worker, spec);
            assertThat(NameHandlerPsf.stub(worker).call(tensor).await()).isEqualTo(new NameHandler.Response(2, 1));
            Tensors.push(worker, tensor, ones()).await();
            assertThat(Tensors.pull(worker, tensor)).containsExactly(ones());
            String name = placement.startsWith("device:0") ? "device:0" : "device";
            assertThat(log.lines())
                    .containsExactly(
                            "INFO slice 1 of tensor \"w\" is at \"host\", since at \"" + name
                                    + "\": RESOURCE_EXHAUSTED: memory of " + name
                                    + " for slice 1: none (expected: some)",
                            "INFO slice 2 of tensor \"w\" is at \"host\", since at \"" + name
                                    + "\": RESOURCE_EXHAUSTED: memory of " + name
                                    + " for slice 2: none (expected: some)");
            assertThat(ScarceFactory.GIVEN_UP.get() - before).isEqualTo(1);
            Tensors.clear(worker, tensor);
        }
    }

    @Test
    void aServerWithoutADeviceHasTheHostsMemory() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorSpec spec = TensorSpec.dense("w", 10).slices(4);
            assertThatThrownBy(() -> Tensors.init(worker, spec.device()))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("BAD_REQUEST")
                    .hasMessageContaining("placement of tensor \"w\": \"device\" (expected: one that this server has:"
                            + " counting, host, pinned, together, unsaved)");
            Tensors.clear(worker, spec.tensor().id());
            TensorId tensor = Tensors.init(worker, spec.deviceOrHost());
            assertThat(NameHandlerPsf.stub(worker).call(tensor).await()).isEqualTo(new NameHandler.Response(4, 0));
        }
    }

    @Test
    void withoutAnAlternativeTheErrorIsTheAnswer() {
        try (PsCluster cluster = PsCluster.builder().devices(0).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = TensorSpec.dense("w", 10).device();
            assertThat(Tensors.pull(worker, Tensors.init(worker, spec.slices(1))))
                    .containsOnly(0);
            TensorSpec large = TensorSpec.dense("v", 10).slices(2).placement("device:7,device");
            assertThatThrownBy(() -> Tensors.init(worker, large))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("RESOURCE_EXHAUSTED")
                    .hasMessageContaining("memory of device for slice 1: none");
        }
    }

    @Test
    void largeRequestsAndAnswersAreInTheHostMemoryOfTheDevice() {
        int n = 1 << 18;
        long before = ScarceFactory.HOST_MEMORY.get();
        try (PsCluster cluster = PsCluster.builder().tcp().devices(0).start()) {
            Worker worker = cluster.worker();
            TensorId tensor =
                    Tensors.init(worker, TensorSpec.dense("w", n).slices(1).device());
            long started = ScarceFactory.HOST_MEMORY.get();
            assertThat(started - before).isPositive();
            Tensors.push(worker, tensor, new float[n]).await();
            assertThat(ScarceFactory.HOST_MEMORY.get() - started).isGreaterThanOrEqualTo(4L * n);
            assertThat(Tensors.pull(worker, tensor)).containsOnly(0);
        }
    }

    @Test
    void aServerLogsWhyItDoesNotUseADevice() {
        try (Log log = Log.of("io.psf.runtime.ServingSide");
                PsCluster cluster = PsCluster.builder().devices(0, 3).start()) {
            assertThat(cluster.servers()).hasSize(1);
            assertThat(log.lines())
                    .contains("INFO placements of shards: counting, device, device:0, host, pinned, together, unsaved")
                    .contains("WARN device 3: not used, since this machine has one");
        }
    }

    @Test
    void anotherPlacementIsAnotherDeclaration() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, COUNTING);
            assertThatThrownBy(() -> Tensors.init(worker, COUNTING.placement("host")))
                    .hasMessageContaining("ALREADY_EXISTS")
                    .hasMessageContaining("placement=counting");
        }
    }
}
