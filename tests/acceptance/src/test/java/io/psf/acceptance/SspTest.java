package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.builtin.Ssp;
import io.psf.builtin.ssp.SspInitPsf;
import io.psf.builtin.ssp.SspSync;
import io.psf.builtin.ssp.SspSyncPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers within a bound of each other. */
@Timeout(60)
final class SspTest {
    private static final int WORKERS = 3;

    private static Pending<SspSync.Response> sync(PsCluster cluster, int rank, long group, long clock) {
        return SspSyncPsf.stub(cluster.worker(rank)).call(group, rank, clock);
    }

    /** Init of the same group is answered by the same lane: calls of this worker before it have been run then. */
    private static boolean isStillWaiting(PsCluster cluster, Pending<?> pending, long group, int staleness) {
        SspInitPsf.stub(cluster.worker(0)).call(group, WORKERS, staleness).await();
        return !pending.isDone();
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 0", "MEMORY, 1", "MEMORY, 3", "TCP, 0", "TCP, 1", "TCP, 3"})
    void theFastestWaitsForTheSlowestAndNoLonger(Over over, int staleness) {
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            for (long group = 0; group < 4; group++) { // on both servers
                SspInitPsf.stub(cluster.worker(0))
                        .call(group, WORKERS, staleness)
                        .await();
                for (int clock = 1; clock <= staleness; clock++) {
                    sync(cluster, 0, group, clock).await();
                }
                for (int clock = 1; clock <= 5; clock++) {
                    Pending<SspSync.Response> ahead = sync(cluster, 0, group, clock + staleness);
                    sync(cluster, 1, group, clock);
                    assertThat(isStillWaiting(cluster, ahead, group, staleness)).isTrue();
                    sync(cluster, 2, group, clock);
                    assertThat(ahead.await().slowest()).isEqualTo(clock);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 0", "MEMORY, 1", "MEMORY, 3", "TCP, 1"})
    void workersOfRandomSpeedStayWithinTheBound(Over over, int staleness) {
        int ticks = 200;
        AtomicLongArray begun = new AtomicLongArray(WORKERS);
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            Clusters.onEachWorker(cluster, worker -> {
                Random random = new Random(worker.rank());
                Ssp ssp = Ssp.join(worker, 5, staleness);
                for (int tick = 1; tick <= ticks; tick++) {
                    LockSupport.parkNanos(random.nextInt(10) == 0 ? 2_000_000 : 1);
                    begun.set(worker.rank(), tick);
                    long slowest = ssp.tick();
                    assertThat(slowest).isGreaterThanOrEqualTo(tick - staleness);
                    for (int other = 0; other < WORKERS; other++) {
                        assertThat(begun.get(other)).isGreaterThanOrEqualTo(slowest);
                    }
                }
                assertThat(ssp.clock()).isEqualTo(ticks);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void theOthersGoOnWhenTheSlowestLeaves(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            for (long group = 0; group < 4; group++) {
                SspInitPsf.stub(cluster.worker(0)).call(group, WORKERS, 1).await();
                sync(cluster, 2, group, 1).await();
                sync(cluster, 1, group, 2);
                Pending<SspSync.Response> ahead = sync(cluster, 0, group, 3);
                assertThat(isStillWaiting(cluster, ahead, group, 1)).isTrue();
            }
            Pending<SspSync.Response> ahead = sync(cluster, 0, 0, 3);
            cluster.worker(2).close();
            assertThat(ahead.await().slowest()).isEqualTo(2);
            for (long group = 0; group < 4; group++) {
                sync(cluster, 1, group, 9);
                assertThat(sync(cluster, 0, group, 10).await().slowest()).isEqualTo(9);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void oneThatLeavesBeforeItHasComeIsNotWaitedFor(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            Ssp zero = Ssp.join(cluster.worker(0), 3, 0);
            Pending<SspSync.Response> one = sync(cluster, 1, 3, 1);
            cluster.worker(2).close();
            assertThat(zero.tick()).isEqualTo(1);
            one.await();
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void whoHasWaitedTooLongMayTickAgain(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            Worker worker = cluster.worker(0);
            Ssp zero = Ssp.join(worker, 3, 0);
            assertThatThrownBy(() -> zero.tick(Duration.ofMillis(100)))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.TIMED_OUT));
            assertThat(zero.clock()).isZero();
            Pending<SspSync.Response> one = sync(cluster, 1, 3, 1);
            assertThat(zero.tick()).isEqualTo(1);
            one.await();
            assertThatThrownBy(() -> Ssp.join(worker, 3, 7))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.ALREADY_EXISTS))
                    .hasMessageContaining(
                            "staleness 7 (expected: as it was created, group 3 of all workers and staleness 0)");
        }
    }
}
