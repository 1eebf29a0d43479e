package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that travel together, and calls that overtake others. */
@Timeout(60)
final class ChainsTest {
    private static FloatArray filled(int n, float value) {
        FloatArray array = FloatArray.allocate(n);
        array.fill(value);
        return array;
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void nothingComesBetweenThePushAndThePullOfAChain(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorSpec spec = TensorSpec.dense("w", 1000).slices(3);
            Clusters.onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, spec);
                for (int i = 0; i < 300; i++) {
                    Chain chain = worker.chain();
                    var before = DensePullPsf.stub(chain).call(w);
                    var unused = DensePushPsf.stub(chain).call(w, filled(1000, 1f));
                    var after = DensePullPsf.stub(chain).call(w);
                    chain.send();
                    FloatArray difference = after.await().values();
                    difference.addScaled(-1f, before.await().values());
                    assertThat(difference.toArray()).containsOnly(1f);
                }
            });
        }
    }

    @Test
    void theCallsOfAChainMayTouchDifferentSlices() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.table("w", 100, 4));
            Chain chain = worker.chain();
            // The keys are in the first slice alone.
            var unused = SparsePushPsf.stub(chain).call(w, LongArray.of(3, 3, 7), filled(12, 1f));
            Pending<DensePull.Response> pulled = DensePullPsf.stub(chain).call(w);
            chain.send();
            FloatArray values = pulled.await().values();
            assertThat(values.get(12)).isEqualTo(2f);
            assertThat(values.get(28)).isEqualTo(1f);
        }
    }

    @Test
    void whatFollowsAFailureIsNotRun() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
            Chain chain = worker.chain();
            Pending<?> failing = FaultyPsf.stub(chain).call(w, Faulty.Fault.EXCEPTION);
            Pending<?> push = DensePushPsf.stub(chain).call(w, filled(10, 1f));
            chain.send();
            assertThatThrownBy(failing::await).hasMessageContaining("HANDLER_FAILED");
            assertThatThrownBy(push::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CANCELLED))
                    .hasMessageContaining("a call before it in the chain failed");
            assertThat(Tensors.pull(worker, w)).containsOnly(0f);
        }
    }

    /** The push answers only when the other worker has pushed too; the pull behind it reads both. */
    @Test
    void whatFollowsACallThatAnswersLaterWaitsForIt() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            TensorSpec spec = TensorSpec.dense("w", 10).updates(Updates.SUM);
            Clusters.onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, spec);
                for (int i = 1; i <= 50; i++) {
                    Chain chain = worker.chain();
                    var unused = DensePushPsf.stub(chain).call(w, filled(10, 1f + worker.rank()));
                    var pulled = DensePullPsf.stub(chain).call(w);
                    chain.send();
                    assertThat(pulled.await().values().toArray()).containsOnly(3f * i);
                    worker.barrier();
                }
            });
        }
    }

    @Test
    void tensorsOfTheSameSlicesShareAChainAndOthersDoNot() {
        try (PsCluster cluster = Clusters.start(Over.TCP_MAPPED, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId a = Tensors.init(worker, TensorSpec.dense("a", 100));
            TensorId b = Tensors.init(worker, TensorSpec.table("b", 100, 3));
            TensorId other = Tensors.init(worker, TensorSpec.dense("other", 101));
            Chain chain = worker.chain();
            var unused = DensePushPsf.stub(chain).call(a, filled(100, 2f));
            var pulled = DensePullPsf.stub(chain).call(b);
            assertThatThrownBy(() -> DensePullPsf.stub(chain).call(other))
                    .hasMessageContaining(
                            "differ from the slices or nodes of \"psf.dense.push\", its first call (expected: the same tensor,");
            assertThatThrownBy(() -> TallyPsf.stub(chain).call(1, 1))
                    .hasMessageContaining("chain: the slices or nodes of ");
            chain.send();
            assertThat(pulled.await().values().length()).isEqualTo(300);
            assertThat(Tensors.pull(worker, a)).containsOnly(2f);
        }
    }

    @Test
    void aChainIsSentOnceAndBeforeItIsAwaited() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
            Chain chain = worker.chain();
            var pulled = DensePullPsf.stub(chain).call(w);
            assertThatThrownBy(pulled::await).hasMessageContaining("chain: not sent yet");
            chain.send();
            assertThat(pulled.await().values().length()).isEqualTo(10);
            assertThatThrownBy(chain::send).hasMessageContaining("chain: sent already");
            assertThatThrownBy(() -> DensePullPsf.stub(chain).call(w)).hasMessageContaining("chain: sent already");
            worker.chain().send();
        }
    }

    /** While a handler keeps the lane busy, calls wait; of those the urgent one is run first. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void callsOfAHigherPriorityAreRunFirst(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 2)) {
            TensorSpec spec = TensorSpec.dense("w", 10);
            TensorId w = Tensors.init(cluster.worker(0), spec);
            Tensors.init(cluster.worker(1), spec);
            Pending<?> busy = FaultyPsf.stub(cluster.worker(0)).call(w, Faulty.Fault.SLOW);
            Pending<?> low =
                    DensePushPsf.stub(cluster.worker(0)).withPriority(-1).call(w, filled(10, 1f));
            Pending<?> usual = DensePushPsf.stub(cluster.worker(0)).call(w, filled(10, 10f));
            var urgent = DensePullPsf.stub(cluster.worker(1))
                    .withDeadline(Duration.ofSeconds(20))
                    .withPriority(5)
                    .call(w);
            assertThat(urgent.await().values().toArray()).containsOnly(0f);
            busy.await();
            low.await();
            usual.await();
            assertThatThrownBy(() -> DensePullPsf.stub(cluster.worker(0)).withPriority(128))
                    .hasMessageContaining("priority: 128 (expected: -128 to 127)");
        }
    }
}
