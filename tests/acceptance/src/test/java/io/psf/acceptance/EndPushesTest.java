package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that push no more: by their own word, or since they have closed. */
@Timeout(120)
final class EndPushesTest {
    private static final TensorSpec SPEC = TensorSpec.dense("w", 4).slices(2).updates(Updates.SUM);
    private static final float[] ONES = {1, 1, 1, 1};

    @TempDir
    private Path checkpoints;

    private PsCluster start(int servers) {
        return PsCluster.builder()
                .servers(servers)
                .workers(2)
                .checkpoints(checkpoints)
                .start();
    }

    /** Asserts that a push of worker 0 waits for worker 1. */
    private static void assertBothTakePart(PsCluster cluster, TensorId w, float before) {
        Pending<?> zero = Tensors.push(cluster.worker(0), w, ONES);
        var unused = Tensors.list(cluster.worker(0)); // when the servers have received the push
        assertThat(zero.isDone()).isFalse();
        Tensors.push(cluster.worker(1), w, ONES).await();
        zero.await();
        assertThat(Tensors.pull(cluster.worker(0), w)).containsOnly(before + 2);
    }

    @Test
    void aWorkerThatHasClosedIsNotWaitedFor() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            TensorId w = Tensors.init(cluster.worker(0), SPEC);
            Pending<?> first = Tensors.push(cluster.worker(0), w, ONES);
            Tensors.push(cluster.worker(1), w, ONES).await();
            first.await();
            Pending<?> second = Tensors.push(cluster.worker(0), w, ONES);
            cluster.worker(1).close();
            second.await();
            Tensors.push(cluster.worker(0), w, ONES).await();
            assertThat(Tensors.pull(cluster.worker(0), w)).containsOnly(4);
        }
    }

    @Test
    void aWorkerThatPushesAgainTakesPartAgain() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            TensorId w = Tensors.init(cluster.worker(0), SPEC);
            Tensors.endPushes(cluster.worker(1), w);
            Tensors.endPushes(cluster.worker(1), w);
            Tensors.push(cluster.worker(0), w, ONES).await();
            Pending<?> again = Tensors.push(cluster.worker(1), w, ONES);
            var unused = Tensors.list(cluster.worker(1)); // when the servers have received the push
            Tensors.push(cluster.worker(0), w, ONES).await();
            again.await();
            assertBothTakePart(cluster, w, 3);
        }
    }

    /** The servers of a job are not replaced: after the loss of one, the job is started again. */
    @Test
    void afterALoadAllWorkersOfTheNewJobTakePart() {
        try (PsCluster cluster = start(2)) {
            TensorId w = Tensors.init(cluster.worker(0), SPEC);
            Tensors.endPushes(cluster.worker(1), w);
            Tensors.push(cluster.worker(0), w, ONES).await();
            Tensors.save(cluster.worker(0), w, "c");
            Tensors.load(cluster.worker(0), w, "c");
            Tensors.push(cluster.worker(0), w, ONES).await(); // as before: the load changes values and state
        }
        try (PsCluster cluster = start(1)) {
            TensorId w = Tensors.init(cluster.worker(0), SPEC);
            Tensors.load(cluster.worker(0), w, "c");
            assertBothTakePart(cluster, w, 1);
        }
    }

    @Test
    void aTensorThatIsMadeAgainHasAllWorkers() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            TensorId w = Tensors.init(cluster.worker(0), SPEC);
            Tensors.endPushes(cluster.worker(1), w);
            Tensors.clear(cluster.worker(0), w);
            Tensors.init(cluster.worker(0), SPEC);
            assertBothTakePart(cluster, w, 0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "KNOWN, 'TIMED_OUT: votes: 1 (expected: 2) in acceptance.undecided'",
        "UNKNOWN, TIMED_OUT",
        "FAILING, TIMED_OUT"
    })
    void aHandlerSaysWhatItsAnswerWaitsFor(Undecided.Reason reason, String message) {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, SPEC.slices(1));
            assertThatThrownBy(() -> UndecidedPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(1))
                            .call(w, reason)
                            .await())
                    .hasMessageContaining(message)
                    .hasMessageNotContaining("no reason");
        }
    }
}
