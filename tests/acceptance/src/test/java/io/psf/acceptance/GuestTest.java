package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.internal.checkpoint.ListModelsPsf;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Guests of a running cluster. */
final class GuestTest {
    private static final String SECRET = "a secret of guests";

    private static WorkerConfig at(Scheduler scheduler) {
        return WorkerConfig.of("127.0.0.1", scheduler.port()).withJoinTimeout(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @EnumSource(value = Clusters.Over.class, names = "MEMORY", mode = EnumSource.Mode.EXCLUDE)
    void roundsGoOnWhileGuestsComeAskAndLeave(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorSpec summed = TensorSpec.dense("w", 100).updates(Updates.SUM);
            Clusters.onEachWorker(cluster, worker -> {
                TensorId w = Tensors.init(worker, summed);
                for (int round = 0; round < 20; round++) {
                    if (worker.rank() == 0 && round % 5 == 1) {
                        try (Guest guest = Guest.visit(at(cluster.scheduler()))) {
                            assertThat(guest.members()).hasSize(4);
                            assertThat(guest.cluster().missingServers()).isEmpty();
                            assertThat(Tensors.list(guest).get(0).rows()).isEqualTo(100);
                            assertThat(Statistics.of(guest).time()).isPositive();
                        }
                    }
                    float[] ones = new float[100];
                    java.util.Arrays.fill(ones, 1);
                    Tensors.push(worker, w, ones).await();
                    assertThat(worker.workers()).isEqualTo(2);
                    worker.barrier();
                }
                assertThat(Tensors.pull(worker, w)).containsOnly(40);
                worker.barrier();
            });
        }
    }

    @Test
    void aGuestChangesNothing() {
        try (PsCluster cluster = Clusters.start(Clusters.Over.TCP, 1, 1);
                Guest guest = Guest.visit(at(cluster.scheduler()))) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            assertThatThrownBy(() -> ClearPsf.stub(guest).call(w).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("BAD_REQUEST")
                    .hasMessageContaining(
                            "call of \"psf.clear\" by a guest (expected: a function that is readOnly, at servers)");
            assertThatThrownBy(() -> DensePullPsf.stub(guest).call(w))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("place of \"psf.dense.pull\": SHARD (expected: SERVER, since a guest calls");
            assertThatThrownBy(() -> ListModelsPsf.stub(guest).call(1, "model"))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("layout of \"psf.model.list\": a key selects the server (expected: a");
            assertThat(Tensors.pull(cluster.worker(), w)).hasSize(10);
        }
    }

    /** The function's author has said that it is read-only: servers check it. */
    @ParameterizedTest
    @EnumSource(Meddle.Change.class)
    void aGuestChangesNothingByAFunctionThatIsWronglyReadOnly(Meddle.Change change) {
        try (PsCluster cluster = Clusters.start(Clusters.Over.TCP, 1, 1);
                Guest guest = Guest.visit(at(cluster.scheduler()))) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.growing("w", 2));
            Tensors.pushRows(cluster.worker(), w, new long[] {0}, new float[2]).await();
            ShardBytes before = Tensors.list(guest).get(0).bytes();
            String expected = switch (change) {
                case ATTACHMENT -> "attachment io.psf.acceptance.Meddle$Notes";
                case SLOT -> "slot \"notes\"";
                case CALL -> "call of \"psf.sparse.remove\"";
                case DROP -> "clearing of tensor \"w\"";
            };
            assertThatThrownBy(() -> MeddlePsf.stub(guest).call("w", change).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("HANDLER_FAILED: change by \"acceptance.meddle\": " + expected
                            + " (expected: none, since the function is readOnly)");
            assertThat(Tensors.list(guest).get(0).bytes()).isEqualTo(before);
        }
    }

    @Test
    void aClusterThatIsNotCompleteRefusesGuests() {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(2, 1))) {
            assertThatThrownBy(() -> Guest.visit(at(scheduler)))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("UNAVAILABLE")
                    .hasMessageContaining("cluster: 0 of 2 servers and 0 of 1 workers have joined (expected: all)");
        }
    }

    @Test
    void aGuestNeedsTheSecret() {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withSecret(SECRET))) {
            assertThatThrownBy(() -> Guest.visit(at(scheduler)))
                    .hasMessageContaining("none (expected: made with the secret of the cluster, PSF_SECRET)");
            assertThatThrownBy(() -> Guest.visit(at(scheduler).withSecret("another secret of guests")))
                    .hasMessageContaining("wrong (expected: made with the secret of the cluster, PSF_SECRET)");
            assertThatThrownBy(() -> Guest.visit(at(scheduler).withSecret(SECRET)))
                    .hasMessageContaining("servers and 0 of 1 workers have joined");
        }
    }

    @Test
    void noSchedulerIsAnError() {
        WorkerConfig nowhere;
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1))) {
            nowhere = at(scheduler);
        }
        assertThatThrownBy(() -> Guest.visit(nowhere))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("UNAVAILABLE")
                .hasMessageContaining("127.0.0.1:" + nowhere.join().schedulerPort());
    }
}
