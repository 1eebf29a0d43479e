package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.GivenTime;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What once went wrong. */
@Timeout(120)
final class RegressionsTest {
    private static void assertCode(Code code, Throwable e) {
        assertThat(e)
                .isInstanceOfSatisfying(
                        PsException.class, ps -> assertThat(ps.code()).isEqualTo(code));
    }

    @Test
    void anAnswerOfAnOddNumberOfFloatsFitsTheScratchMemory() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 1)) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.table("w", 50_001, 1));
            for (int n : new int[] {16_385, 40_001, 49_999}) {
                long[] keys = new long[n];
                for (int i = 0; i < n; i++) {
                    keys[i] = i;
                }
                Tensors.pullRows(cluster.worker(), w, keys, new float[n]).await();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aTensorMadeAnewInAnotherShapeIsNotTakenForTheOldOne(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            Worker one = cluster.worker(0);
            Worker two = cluster.worker(1);
            TensorId y = Tensors.init(one, TensorSpec.dense("y", 100).slices(1));
            assertThat(Tensors.pull(two, y)).hasSize(100);
            Tensors.clear(one, y);
            Tensors.init(one, TensorSpec.dense("y", 200).slices(2));
            assertThatThrownBy(() -> Tensors.push(two, y, new float[100]).await())
                    .satisfies(e -> assertCode(Code.BAD_REQUEST, e))
                    .hasMessageContaining("100")
                    .hasMessageContaining("expected: 200");
            assertThat(Tensors.pull(two, y)).hasSize(200).containsOnly(0f);
            Tensors.clear(one, y);
            assertThatThrownBy(() -> Tensors.pull(two, y)).satisfies(e -> assertCode(Code.UNKNOWN_TENSOR, e));
        }
    }

    @Test
    void callsFromACallbackDoNotWaitForTheThreadThatRunsIt() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 5_000_000));
            float[] update = new float[5_000_000];
            List<CompletableFuture<?>> chains = new ArrayList<>();
            for (int chain = 0; chain < 6; chain++) {
                chains.add(push(worker, w, update, 4));
            }
            CompletableFuture.allOf(chains.toArray(CompletableFuture<?>[]::new))
                    .orTimeout(25, TimeUnit.SECONDS)
                    .join();
        }
    }

    private static CompletableFuture<?> push(Worker worker, TensorId w, float[] update, int times) {
        CompletableFuture<?> pushed = Tensors.push(worker, w, update).toCompletableFuture();
        return times == 1 ? pushed : pushed.thenCompose(done -> push(worker, w, update, times - 1));
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void closingAServerEndsTheCallsToItAtOnce(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 100));
            cluster.servers().get(1).close();
            assertThatThrownBy(() -> {
                        while (true) {
                            Tensors.pull(worker, w, new float[100]).await(Duration.ofSeconds(5));
                        }
                    })
                    .satisfies(e -> assertCode(Code.UNAVAILABLE, e))
                    .hasMessageContaining("server 1");
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void closingAClusterDoesNotWaitForARoundThatNobodyCloses(Over over) {
        long begin = GivenTime.nanos();
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            TensorId w =
                    Tensors.init(cluster.worker(0), TensorSpec.dense("w", 10).updates(Updates.SUM));
            Pending<?> pending = Tensors.push(cluster.worker(0), w, new float[10]);
            assertThat(pending.isDone()).isFalse();
        }
        assertThat(Duration.ofNanos(GivenTime.nanos() - begin)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void aBarrierThatTimedOutIsNotOwed() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 2)) {
            assertThatThrownBy(() -> cluster.worker(0).barrier(Duration.ofMillis(200)))
                    .satisfies(e -> assertCode(Code.TIMED_OUT, e));
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Void> other =
                        CompletableFuture.runAsync(() -> cluster.worker(1).barrier(Duration.ofSeconds(20)));
                cluster.worker(0).barrier(Duration.ofSeconds(20));
                other.orTimeout(20, TimeUnit.SECONDS).join();
            }
        }
    }

    @Test
    void clearingATensorEndsWhatWaitsOnIt() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 2)) {
            TensorId w =
                    Tensors.init(cluster.worker(0), TensorSpec.dense("w", 10).updates(Updates.SUM));
            Pending<?> first = Tensors.push(cluster.worker(0), w, new float[10]);
            Pending<?> second = Tensors.push(cluster.worker(0), w, new float[10]);
            Tensors.pull(cluster.worker(1), w); // the pushes are there
            Tensors.clear(cluster.worker(1), w);
            assertThatThrownBy(() -> first.await(Duration.ofSeconds(10)))
                    .satisfies(e -> assertCode(Code.UNKNOWN_TENSOR, e));
            assertThatThrownBy(() -> second.await(Duration.ofSeconds(10)))
                    .satisfies(e -> assertCode(Code.UNKNOWN_TENSOR, e));
        }
    }

    @Test
    void sizesBeyondReasonAreRefusedAndNothingElseHappens() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            for (long rows : new long[] {1L << 50, 1L << 60, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> Tensors.init(cluster.worker(), TensorSpec.table("huge", rows, 4)))
                        .satisfies(e -> assertCode(Code.BAD_REQUEST, e))
                        .hasMessageContaining("tensor \"huge\": [" + rows + ", 4]");
            }
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            assertThat(Tensors.pull(cluster.worker(), w)).hasSize(10);
        }
    }

    /** Who waits reads from the connection; what it waits for may end without anything to read. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void whoWaitsIsToldInTimeWhateverEndsTheCall(Over over) throws Exception {
        try (PsCluster cluster = Clusters.start(over, 1, 2)) {
            Worker worker = cluster.worker(0);
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 8).updates(Updates.SUM));
            Pending<?> push = Tensors.push(worker, w, new float[8]); // the other worker's never comes
            long begin = GivenTime.nanos();
            assertThatThrownBy(() -> push.await(Duration.ofMillis(30))).isInstanceOf(PsException.class);
            CompletableFuture<Void> givingUp = CompletableFuture.runAsync(
                    () -> push.cancel(), CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
            assertThatThrownBy(push::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CANCELLED));
            givingUp.get();
            assertThat(Duration.ofNanos(GivenTime.nanos() - begin)).isLessThan(Duration.ofSeconds(15));
        }
    }

    /** More than a server keeps unsent for one connection: it stops to read until the answer has been taken. */
    @Test
    void anAnswerLargerThanAConnectionMayHoldComes() {
        try (PsCluster cluster = Clusters.start(Over.SHARED_MEMORY, 1, 1)) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.table("w", 17_000_000, 1));
            float[] into = new float[17_000_000];
            into[16_999_999] = 1f;
            Tensors.pull(cluster.worker(), w, into).await(Duration.ofSeconds(20));
            assertThat(into[16_999_999]).isZero();
        }
    }

    /**
     * The thread that reads is kept by something, and another takes its place: frames that were read already come, too.
     */
    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"TCP", "SHARED_MEMORY"})
    void answersBehindALargeOneAndBehindASlowCallbackCome(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.table("w", 1_000_000, 4));
            List<Pending<?>> pending = new ArrayList<>();
            pending.add(Tensors.pull(worker, w, new float[4_000_000]));
            for (int i = 0; i < 200; i++) { // answered together, behind the large one
                pending.add(Tensors.pullRows(worker, w, new long[] {i}, new float[4]));
            }
            for (int i = 1; i < 200; i += 20) {
                var unused = pending.get(i).toCompletableFuture().whenComplete((done, failure) -> keep(60));
            }
            pending.forEach(each -> each.await(Duration.ofSeconds(10)));
        }
    }

    /** Keeps this thread busy. */
    private static void keep(int millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
