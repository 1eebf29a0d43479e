package io.psf.builtin.internal.ssp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.builtin.SideBySide;
import io.psf.builtin.Ssp;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SspTest {
    private static final long GROUP = -7;

    private static TestCluster cluster(int workers) {
        return PsfTest.of(SspSyncPsf.bind(new SspSync() {}))
                .and(SspInitPsf.bind(new SspInit() {}))
                .workers(workers)
                .on(2);
    }

    private static boolean init(TestCluster cluster, int size, int staleness) {
        return SspInitPsf.stub(cluster).call(GROUP, size, staleness).await().created();
    }

    private static Pending<SspSync.Response> sync(TestCluster cluster, int rank, long clock) {
        return SspSyncPsf.stub(cluster.worker(rank)).call(GROUP, rank, clock);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void theFastestWaitsWhenItIsMoreThanTheStalenessAhead(int staleness) {
        TestCluster cluster = cluster(3);
        init(cluster, 3, staleness);
        for (int clock = 1; clock <= staleness; clock++) {
            assertThat(sync(cluster, 0, clock).await().slowest()).isZero();
        }
        Pending<SspSync.Response> ahead = sync(cluster, 0, staleness + 1);
        assertThat(ahead.isDone()).isFalse();
        Pending<SspSync.Response> one = sync(cluster, 1, 1);
        assertThat(one.isDone()).isEqualTo(staleness > 0);
        assertThat(ahead.isDone()).as("before rank 2 has come").isFalse();
        assertThat(sync(cluster, 2, 1).await().slowest()).isEqualTo(1);
        assertThat(one.isDone()).isTrue();
        assertThat(ahead.await().slowest()).isEqualTo(1);
    }

    /** Workers that tick in random order; who waits is who is too far ahead of the slowest. */
    @Test
    void randomTicksPassAsSoonAsAndNotBeforeTheSlowestIsNear() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int staleness = random.nextInt(4);
            TestCluster cluster = cluster(4);
            init(cluster, 4, staleness);
            long[] clocks = new long[4];
            List<Pending<SspSync.Response>> last = new ArrayList<>(Arrays.asList(null, null, null, null));
            for (int step = 0; step < 200; step++) {
                int rank = random.nextInt(4);
                if (last.get(rank) != null && !last.get(rank).isDone()) {
                    continue;
                }
                last.set(rank, sync(cluster, rank, ++clocks[rank]));
                long slowest = Arrays.stream(clocks).min().orElseThrow();
                for (int each = 0; each < 4; each++) {
                    if (last.get(each) != null) {
                        assertThat(last.get(each).isDone())
                                .as("seed %d, step %d, rank %d of %s", seed, step, each, Arrays.toString(clocks))
                                .isEqualTo(slowest >= clocks[each] - staleness);
                    }
                }
            }
        }
    }

    @Test
    void whoTakesNoPartIsNotWaitedForOnceAllRanksHaveCome() {
        TestCluster cluster = cluster(3);
        init(cluster, 2, 0);
        Pending<SspSync.Response> zero = sync(cluster, 0, 1);
        assertThat(zero.isDone()).isFalse();
        sync(cluster, 1, 1).await();
        assertThat(zero.await().slowest()).isEqualTo(1);
    }

    @Test
    void aMemberThatIsLostBeforeItsFirstClockIsNotWaitedFor() {
        SspGroup group = new SspGroup(GROUP, 2, 0, Set.of(0, 1, 2));
        group.join(0, workers(0, 1, 2));
        group.join(1, workers(0, 1, 2));
        var zero = group.sync(0, 1, 0, workers(0, 1, 2)).toCompletableFuture(); // worker 2 takes no part
        assertThat(zero).isNotDone();
        group.release(workers(0, 2));
        assertThat(zero).isCompletedWithValue(new SspSync.Response(1));
    }

    @Test
    void whoeverMayHaveTheFreeRankIsWaitedFor() {
        SspGroup group = new SspGroup(GROUP, 2, 0, Set.of(0, 1, 2));
        group.join(0, workers(0, 1, 2));
        var zero = group.sync(0, 1, 0, workers(0, 1, 2)).toCompletableFuture();
        group.release(workers(0, 2));
        assertThat(zero).isNotDone();
        group.release(workers(0));
        assertThat(zero).isCompletedWithValue(new SspSync.Response(1));
    }

    /** The one that takes the rank of a lost worker, too, begins with the clock of the slowest. */
    @Test
    void whoJoinsAGroupOfAllLaterBeginsWithTheClockOfTheSlowest() {
        SspGroup group = new SspGroup(GROUP, SspInit.ALL, 1, Set.of(0, 1));
        assertThat(group.join(0, workers(0, 1))).isZero();
        assertThat(group.join(1, workers(0, 1))).isZero();
        for (long clock = 1; clock <= 7; clock++) {
            assertThat(sync(group, 0, clock, 0, 1)).isDone();
            assertThat(sync(group, 1, clock, 0, 1)).isDone();
        }
        group.release(workers(0, 1, 2));
        assertThat(sync(group, 0, 8, 0, 1, 2))
                .as("before worker 2 joins the group")
                .isDone();
        assertThat(group.join(2, workers(0, 1, 2))).isEqualTo(7);
        assertThat(sync(group, 1, 8, 0, 1, 2)).isDone();
        var ahead = sync(group, 1, 9, 0, 1, 2);
        assertThat(ahead).as("worker 2 is at 7").isNotDone();
        assertThat(sync(group, 2, 8, 0, 1, 2)).isDone();
        assertThat(ahead).isDone();
        group.release(workers(0, 2));
        group.release(workers(0, 1, 2));
        assertThat(group.join(1, workers(0, 1, 2)))
                .as("another worker of rank 1")
                .isEqualTo(8);
        assertThat(sync(group, 1, 9, 0, 1, 2)).isDone();
    }

    private static CompletableFuture<SspSync.Response> sync(SspGroup group, int rank, long clock, int... present) {
        return group.sync(rank, clock, rank, workers(present)).toCompletableFuture();
    }

    private static List<Member> workers(int... ranks) {
        return Arrays.stream(ranks)
                .mapToObj(rank -> new Member(Role.WORKER, rank, "", 0))
                .toList();
    }

    private static Pending<SspSync.Response> sync(PsCluster cluster, int rank, long group, long clock) {
        return SspSyncPsf.stub(cluster.worker(rank)).call(group, rank, clock);
    }

    @Test
    void theRankOfALiveWorkerIsRefusedToAnotherOneThatJoins() {
        try (PsCluster cluster = PsCluster.embedded(1, 2)) {
            Ssp zero = Ssp.join(cluster.worker(0), 5, 0, 2, 1);
            assertThatThrownBy(() -> Ssp.join(cluster.worker(1), 5, 0, 2, 1))
                    .hasMessageContaining("BAD_REQUEST: rank: 0 (expected: another than the rank of worker 0)");
            assertThatThrownBy(() -> Ssp.join(cluster.worker(1), 5, 2, 2, 1))
                    .hasMessageContaining("BAD_REQUEST: rank: 2 (expected: 0 to 1 in group 5");
            Ssp one = Ssp.join(cluster.worker(1), 5, 1, 2, 1);
            assertThat(zero.tick()).isZero();
            assertThat(one.tick()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void workersOfRandomSpeedStayWithinTheBound(int staleness) {
        int ticks = 200;
        AtomicLongArray begun = new AtomicLongArray(3);
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            List<Long> clocks = SideBySide.onAll(cluster.workers(), worker -> {
                Random random = new Random(worker.rank());
                Ssp ssp = Ssp.join(worker, 5, staleness);
                for (int tick = 1; tick <= ticks; tick++) {
                    LockSupport.parkNanos(random.nextInt(10) == 0 ? 2_000_000 : 1);
                    begun.set(worker.rank(), tick);
                    long slowest = ssp.tick();
                    assertThat(slowest).isGreaterThanOrEqualTo(tick - staleness);
                    for (int other = 0; other < 3; other++) {
                        assertThat(begun.get(other)).isGreaterThanOrEqualTo(slowest);
                    }
                }
                return ssp.clock();
            });
            assertThat(clocks).containsOnly((long) ticks);
        }
    }

    @Test
    void theOthersGoOnWhenTheSlowestLeaves() {
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            List<Pending<SspSync.Response>> ahead = new ArrayList<>();
            for (long group = 0; group < 4; group++) { // on both servers
                SspInitPsf.stub(cluster.worker(0)).call(group, 3, 1).await();
                sync(cluster, 2, group, 1).await();
                sync(cluster, 1, group, 2);
                ahead.add(sync(cluster, 0, group, 3));
                SspInitPsf.stub(cluster.worker(0)).call(group, 3, 1).await(); // after the call on the same lane
                assertThat(ahead).noneMatch(Pending::isDone);
            }
            cluster.worker(2).close();
            ahead.forEach(each -> assertThat(each.await().slowest()).isEqualTo(2));
            for (long group = 0; group < 4; group++) {
                sync(cluster, 1, group, 9);
                assertThat(sync(cluster, 0, group, 10).await().slowest()).isEqualTo(9);
            }
        }
    }

    @Test
    void oneThatLeavesBeforeItHasComeIsNotWaitedFor() {
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            Ssp zero = Ssp.join(cluster.worker(0), 3, 0);
            Pending<SspSync.Response> one = sync(cluster, 1, 3, 1);
            cluster.worker(2).close();
            assertThat(zero.tick()).isEqualTo(1);
            one.await();
        }
    }

    @Test
    void whoHasWaitedTooLongMayTickAgain() {
        try (PsCluster cluster = PsCluster.embedded(2, 2)) {
            Worker worker = cluster.worker(0);
            Ssp zero = Ssp.join(worker, 3, 0);
            refused(() -> zero.tick(Duration.ofMillis(100)), PsException.Code.TIMED_OUT, "");
            assertThat(zero.clock()).isZero();
            Pending<SspSync.Response> one = sync(cluster, 1, 3, 1);
            assertThat(zero.tick()).isEqualTo(1);
            one.await();
            refused(
                    () -> Ssp.join(worker, 3, 7),
                    PsException.Code.ALREADY_EXISTS,
                    "staleness 7 (expected: as it was created, group 3 of all workers and staleness 0)");
        }
    }

    @Test
    void theSameAgainIsTheSameGroupAndAnotherIsAnErrorThatNamesBoth() {
        TestCluster cluster = cluster(2);
        assertThat(init(cluster, 2, 1)).isTrue();
        assertThat(init(cluster, 2, 1)).isFalse();
        refused(
                () -> init(cluster, 3, 0),
                PsException.Code.ALREADY_EXISTS,
                "group -7 of size 3 and staleness 0 (expected: as it was created, group -7 of size 2 and staleness 1)");
    }

    @Test
    void whatIsWrongIsNamed() {
        TestCluster cluster = cluster(3);
        PsException.Code code = PsException.Code.BAD_REQUEST;
        refused(() -> sync(cluster, 0, 1).await(), code, "group: -7 (expected: one that psf.ssp.init has made)");
        refused(() -> init(cluster, -1, 0), code, "size: -1 (expected: >= 1 workers, or 0 for all)");
        refused(() -> init(cluster, 1, -1), code, "staleness: -1 (expected: >= 0 clocks)");
        init(cluster, 2, 5);
        refused(() -> sync(cluster, 2, 1).await(), code, "rank: 2 (expected: 0 to 1 in group -7");
        refused(() -> sync(cluster, 0, -1).await(), code, "clock: -1 (expected: >= 0)");
        sync(cluster, 0, 3).await();
        sync(cluster, 0, 3).await();
        refused(() -> sync(cluster, 0, 2).await(), code, "clock of rank 0: 2 (expected: >= 3, as before)");
        refused(
                () -> SspSyncPsf.stub(cluster.worker(0)).call(GROUP, 1, 1).await(),
                code,
                "rank of worker 0: 1 (expected: 0, the rank of its first call to group -7");
        refused(
                () -> SspSyncPsf.stub(cluster.worker(1)).call(GROUP, 0, 4).await(),
                code,
                "rank: 0 (expected: another than the rank of worker 0)");
    }

    private static void refused(ThrowingCallable call, PsException.Code code, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(why);
    }
}
