package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.acceptance.Clusters.Over;
import io.psf.acceptance.OnEach.How;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that handlers put off, or give to all shards of their node, on the lanes of servers. */
@Timeout(60)
final class WorkOnLanesTest {
    private static final long HOUR = TimeUnit.HOURS.toMillis(1);

    private static boolean isAllCancelled() {
        return Alarm.SET.stream().allMatch(Future::isCancelled);
    }

    @Test
    void aShardAnswersAfterADelay() {
        try (PsCluster cluster = Clusters.start(Over.TCP_MAPPED, 2, 1)) {
            TensorId t =
                    Tensors.init(cluster.worker(), TensorSpec.dense("t", 30).slices(7));
            Pending<Alarm.Response> later = AlarmPsf.stub(cluster.worker()).call(t, 20);
            Pending<Alarm.Response> soon = AlarmPsf.stub(cluster.worker()).call(t, 1);
            assertThat(soon.await().rows()).isEqualTo(30);
            assertThat(later.await().rows()).isEqualTo(30);
        }
    }

    @Test
    void whatIsPutOffIsDroppedWithTheTensorAndWithTheServer() {
        Alarm.SET.clear();
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId cleared =
                    Tensors.init(worker, TensorSpec.dense("cleared", 30).slices(4));
            Pending<Alarm.Response> unanswered = AlarmPsf.stub(worker).call(cleared, HOUR);
            await().forever().until(() -> Alarm.SET.size() == 4);
            assertThat(Alarm.SET).noneMatch(Future::isDone);
            Tensors.clear(worker, cleared);
            requireFailure(unanswered, Code.UNKNOWN_TENSOR, "the tensor was cleared");
            assertThat(isAllCancelled()).isTrue();

            TensorId kept = Tensors.init(worker, TensorSpec.dense("kept", 30).slices(4));
            Pending<Alarm.Response> pending = AlarmPsf.stub(worker).call(kept, HOUR);
            await().forever().until(() -> Alarm.SET.size() == 8);
            pending.cancel();
            assertThat(isAllCancelled()).isFalse();
        }
        assertThat(isAllCancelled()).isTrue();
    }

    private static void requireFailure(Pending<?> pending, Code code, String text) {
        assertThatThrownBy(pending::await)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP_MAPPED"}) // one lane a server, and three
    void aServerAsksItsShardsInTheOrderOfTheirSlices(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            for (int slices : new int[] {1, 2, 3, 7}) {
                TensorSpec spec = TensorSpec.dense("t" + slices, 30).slices(slices);
                TensorId t = Tensors.init(cluster.worker(0), spec);
                OnEach.Response answer =
                        OnEachPsf.stub(cluster.worker(1)).call(t, How.TELL).await();
                assertThat(answer.each())
                        .containsExactlyElementsOf(IntStream.range(0, slices)
                                .mapToObj(slice -> new OnEach.Each(slice, 1))
                                .toList());
                assertThat(answer.held()).isEqualTo(slices);
            }
        }
    }

    @Test
    void workOnShardsFailsTheCallAndIsNotRunOnClearedOnes() throws InterruptedException {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId t = Tensors.init(worker, TensorSpec.dense("t", 30).slices(3));
            OnEachPsf.Stub onEach = OnEachPsf.stub(worker);
            requireFailure(onEach.call(t, How.FAIL), Code.HANDLER_FAILED, "IllegalStateException: slice 0");
            requireFailure(
                    onEach.call(t, How.JOIN),
                    Code.HANDLER_FAILED,
                    "waiting for the shards of tensor \"t\": on the lane");
            Pending<?> blocked = onEach.call(t, How.BLOCK);
            OnEach.BEGUN.await();
            Pending<?> cleared = ClearPsf.stub(worker).call(t); // waits for the lanes
            assertThat(Tensors.list(worker)).isEmpty();
            OnEach.END.countDown();
            requireFailure(blocked, Code.UNKNOWN_TENSOR, "the tensor was cleared");
            cleared.await();
        }
    }
}
