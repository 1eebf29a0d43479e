package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions whose calls have no order. */
@Timeout(60)
final class UnorderedTest {
    private static final TensorSpec SPEC = TensorSpec.dense("t", 30).slices(3);

    @ParameterizedTest
    @EnumSource(Over.class)
    void aDeferredAnswerHoldsNothingBack(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId t = Tensors.init(worker, SPEC);
            Pending<AwaitBumps.Response> third = AwaitBumpsPsf.stub(worker).call(t, 3);
            Pending<AwaitBumps.Response> second = AwaitBumpsPsf.stub(worker).call(t, 2);
            BumpPsf.Stub bump = BumpPsf.stub(worker);
            assertThat(bump.call(t).await().bumps()).isEqualTo(1);
            assertThat(second.isDone()).isFalse();
            bump.call(t).await();
            assertThat(second.await().bumps()).isEqualTo(2);
            assertThat(third.isDone()).isFalse();
            bump.call(t).await();
            assertThat(third.await().bumps()).isEqualTo(3);
            worker.awaitAll();
        }
    }

    /** A synchronous push waits for the other worker; what has no order is run meanwhile, what has one is not. */
    @Test
    void aCallInNoOrderDoesNotWaitBehindOneThatIsHeld() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            TensorSpec synchronous = TensorSpec.dense("t", 30).slices(3).updates(Updates.SUM);
            TensorId t = Tensors.init(cluster.worker(0), synchronous);
            Tensors.init(cluster.worker(1), synchronous);
            FloatArray ones = FloatArray.allocate(30);
            Pending<?> push = DensePushPsf.stub(cluster.worker(0)).call(t, ones);
            Pending<Bump.Response> behind = BumpPsf.stub(cluster.worker(0)).call(t);
            assertThat(AwaitBumpsPsf.stub(cluster.worker(0)).call(t, 0).await().bumps())
                    .isZero();
            assertThat(push.isDone()).isFalse();
            assertThat(behind.isDone()).isFalse();
            DensePushPsf.stub(cluster.worker(1)).call(t, ones).await();
            push.await();
            assertThat(behind.await().bumps()).isEqualTo(1);
        }
    }

    /** The calls of a chain keep their order, and what comes behind the chain waits for its ordered ones. */
    @Test
    void aChainKeepsItsOrder() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            TensorId t = Tensors.init(cluster.worker(0), SPEC);
            Tensors.init(cluster.worker(1), SPEC);
            Chain chain = cluster.worker(0).chain();
            Pending<AwaitBumps.Response> first = AwaitBumpsPsf.stub(chain).call(t, 1);
            Pending<Bump.Response> then = BumpPsf.stub(chain).call(t);
            Pending<AwaitBumps.Response> last = AwaitBumpsPsf.stub(chain).call(t, 3);
            chain.send();
            Pending<Bump.Response> behind = BumpPsf.stub(cluster.worker(0)).call(t);
            assertThat(AwaitBumpsPsf.stub(cluster.worker(0)).call(t, 0).await().bumps())
                    .isZero();
            assertThat(BumpPsf.stub(cluster.worker(1)).call(t).await().bumps()).isEqualTo(1);
            assertThat(first.await().bumps()).isEqualTo(1);
            assertThat(then.await().bumps()).isEqualTo(2);
            assertThat(behind.await().bumps()).isEqualTo(3);
            assertThat(last.await().bumps()).isEqualTo(3);
        }
    }

    /** An ordered call that is urgent brings the earlier ones forward with it; one in no order goes by itself. */
    @Test
    void anUrgentCallLeavesTheOthersWhereTheyAre() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId t = Tensors.init(worker, TensorSpec.dense("t", 10));
            Pending<?> busy = FaultyPsf.stub(worker).call(t, Faulty.Fault.SLOW);
            Pending<Bump.Response> low = BumpPsf.stub(worker).withPriority(-1).call(t);
            Pending<AwaitBumps.Response> urgent =
                    AwaitBumpsPsf.stub(worker).withPriority(5).call(t, 0);
            assertThat(urgent.await().bumps()).isZero();
            busy.await();
            assertThat(low.await().bumps()).isEqualTo(1);
        }
    }
}
