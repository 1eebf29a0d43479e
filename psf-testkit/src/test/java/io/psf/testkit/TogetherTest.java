package io.psf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of several workers, which wait for each other. */
@Timeout(60)
class TogetherTest {
    private static final TensorId T = TensorId.of("t");

    private static TestCluster cluster(int workers) {
        return PsfTest.of(MeetPsf.bind(new Meet() {}))
                .and(DelayedPsf.bind(new Delayed() {}))
                .and(AxpyPsf.bind(new Axpy() {}))
                .and(RefusePsf.bind(new Refuse() {}))
                .tensor(T, 8, 1)
                .values(i -> 0)
                .workers(workers)
                .on(2);
    }

    private static Pending<Meet.Response> meet(ClusterCaller worker, float update) {
        return MeetPsf.stub(worker).call(T, LongArray.of(0, 7), FloatArray.of(update, update));
    }

    @Test
    void workersWaitForAnAnswerThatTheLastOfThemCompletes() {
        for (int seed = 0; seed < 20; seed++) {
            List<String> rows = cluster(3).together(seed, worker -> {
                float first = meet(worker, 1).await().rows().get(1);
                worker.barrier();
                return first + " " + meet(worker, worker.rank()).await().rows().get(0);
            });
            assertThat(rows).as("seed %d", seed).containsOnly("3.0 6.0").hasSize(3);
        }
    }

    @Test
    void aSeedGivesAnOrderAndOtherSeedsGiveOtherOrders() {
        Set<List<Integer>> orders = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            List<Integer> order = order(seed);
            assertThat(order(seed)).as("seed %d", seed).isEqualTo(order);
            orders.add(order);
        }
        assertThat(orders).hasSizeGreaterThan(10);
    }

    private static List<Integer> order(long seed) {
        List<Integer> order = new ArrayList<>();
        FloatArray ones = FloatArray.allocate(8);
        cluster(3).together(seed, worker -> {
            for (int call = 0; call < 3; call++) {
                AxpyPsf.stub(worker).call(T, 1, ones).await();
                order.add(worker.rank());
            }
            return "";
        });
        assertThat(order).hasSize(9);
        return order;
    }

    @Test
    void noWorkerPassesABarrierBeforeAllHaveReachedIt() {
        for (int seed = 0; seed < 20; seed++) {
            List<Integer> reached = new ArrayList<>();
            cluster(3).together(seed, worker -> {
                for (int round = 1; round <= 3; round++) {
                    reached.add(worker.rank());
                    worker.barrier();
                    assertThat(reached).hasSizeBetween(3 * round, 3 * round + 2);
                    worker.barrier();
                }
                return "";
            });
        }
    }

    /** An hour passes at once. */
    @Test
    void theTimeAdvancesWhenAllWait() {
        TestCluster cluster = cluster(2);
        List<Double> sums = cluster.together(1, worker -> {
            int millis = (1 + worker.rank()) * 3_600_000;
            return DelayedPsf.stub(worker)
                    .withDeadline(Duration.ofHours(3))
                    .call(T, millis, false)
                    .await()
                    .sum();
        });
        assertThat(sums).containsExactly(0.0, 0.0);
    }

    @Test
    void aCallThatIsNotAnsweredTimesOutAtItsDeadline() {
        List<String> outcomes = cluster(2).together(1, worker -> {
            if (worker.rank() == 1) {
                return "";
            }
            Pending<Meet.Response> alone = meet(worker, 1);
            assertThatThrownBy(() -> alone.await(Duration.ofSeconds(1))).hasMessageContaining("TIMED_OUT: answer");
            assertThatThrownBy(alone::await).hasMessageContaining("TIMED_OUT: answer");
            assertThatThrownBy(() -> worker.barrier(Duration.ofSeconds(1)))
                    .hasMessage("TIMED_OUT: barrier 1 of worker 0: not called by workers [1] (expected: by all workers,"
                            + " in their programs, run by TestCluster.together)");
            return "done";
        });
        assertThat(outcomes).containsExactly("done", "");
    }

    @Test
    void theFirstFailureIsThrownWithTheSeed() {
        assertThatThrownBy(() -> cluster(2).together(5, worker -> {
                    if (worker.rank() == 1) {
                        throw new AssertionError("rank 1 has seen it");
                    }
                    worker.barrier();
                    return "";
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("rank 1 has seen it")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .anyMatch(text -> text.contains("barrier 1 of worker 0: not called by workers [1]"))
                        .contains("seed 5"));
    }

    @Test
    void awaitAllWaitsForCallsAndReportsAFailureThatWasNotAwaitedOnce() {
        TestCluster cluster = cluster(1);
        Pending<Delayed.Response> open = DelayedPsf.stub(cluster).call(T, 1000, false);
        assertThatThrownBy(() -> cluster.await(T)).hasMessageContaining("TIMED_OUT");
        cluster.advance(Duration.ofSeconds(1));
        cluster.await(T);
        assertThat(open.await().sum()).isZero();

        RefusePsf.Stub refuse = RefusePsf.stub(cluster);
        assertThatThrownBy(refuse.call(T, 3, false)::await).hasMessageContaining("key 3");
        cluster.awaitAll(); // awaited before
        assertThat(refuse.call(T, 4, false).isDone()).isTrue();
        cluster.await(TensorId.of("other"));
        assertThatThrownBy(cluster::awaitAll).hasMessageContaining("key 4");
        cluster.awaitAll();
    }

    @Test
    void aWorkerKnowsItsRankAndTheMembers() {
        TestCluster cluster = cluster(3);
        assertThat(cluster.rank()).isZero();
        assertThat(cluster.worker(2).rank()).isEqualTo(2);
        assertThat(cluster.worker(2).workers()).isEqualTo(3);
        assertThat(cluster.worker(1).members()).hasSize(5).isEqualTo(cluster.members());
        assertThat(cluster.lost()).isEmpty();
    }
}
