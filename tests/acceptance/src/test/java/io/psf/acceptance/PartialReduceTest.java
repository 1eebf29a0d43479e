package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.PartialReduce;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.partial.PartialReduceMean;
import io.psf.builtin.partial.PartialReduceMeanPsf;
import io.psf.builtin.partial.PartialReducePartners;
import io.psf.builtin.partial.PartialReducePartnersPsf;
import io.psf.builtin.ssp.SspInitPsf;
import io.psf.builtin.ssp.SspSyncPsf;
import io.psf.runtime.PsCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Who reduces with whom. */
@Timeout(60)
final class PartialReduceTest {
    private static Pending<PartialReducePartners.Response> come(
            PsCluster cluster, int rank, long group, int wanted, int waitMillis) {
        return PartialReducePartnersPsf.stub(cluster.worker(rank)).call(group, rank, wanted, waitMillis);
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void asManyAsWantedGoOnAtOnceAndGroupsAreApart(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            for (int round = 0; round < 10; round++) {
                Pending<?> alone = come(cluster, 1, 100 + round, 2, 10_000_000);
                Pending<PartialReducePartners.Response> two = come(cluster, 2, 7, 2, 10_000_000);
                assertThat(come(cluster, 0, 7, 2, 10_000_000).await().ranks()).containsExactly(0, 2);
                assertThat(two.await().ranks()).containsExactly(0, 2);
                assertThat(alone.isDone()).isFalse();
                come(cluster, 0, 100 + round, 2, 10_000_000).await();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void whoComesInTimeGoesOnTogetherWhenTheTimeIsUp(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            long began = System.nanoTime();
            Pending<PartialReducePartners.Response> one = come(cluster, 1, 7, 3, 1000);
            SspInitPsf.stub(cluster.worker(1)).call(7, 3, 0).await(); // on the same lane: the one before has come
            PartialReduce zero = PartialReduce.of(cluster.worker(0), 7, 3, Duration.ofSeconds(50));
            assertThat(zero.partners()).containsExactly(0, 1);
            long took = System.nanoTime() - began;
            assertThat(one.await().ranks()).containsExactly(0, 1);
            assertThat(took).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1000));
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void oneThatHasLeftIsNotInTheGroup(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            Pending<?> gone = PartialReducePartnersPsf.stub(cluster.worker(2))
                    .withDeadline(Duration.ofMillis(100))
                    .call(7, 2, 2, 10_000_000);
            cluster.worker(2).close(); // when its call has timed out
            assertThat(gone.isDone()).isTrue();
            SspInitPsf.stub(cluster.worker(0)).call(7, 3, 0).await();
            Pending<?> one = SspSyncPsf.stub(cluster.worker(1)).call(7, 1, 1);
            SspSyncPsf.stub(cluster.worker(0)).call(7, 0, 1).await(); // when the group's server knows who has left
            one.await();
            Pending<PartialReducePartners.Response> zero = come(cluster, 0, 7, 2, 10_000_000);
            assertThat(come(cluster, 1, 7, 2, 10_000_000).await().ranks()).containsExactly(0, 1);
            assertThat(zero.await().ranks()).containsExactly(0, 1);
        }
    }

    /** A worker's values are its own power of two, so that a mean tells of whom it is. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void partnersAverageWhatTheyHave(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            Clusters.onEachWorker(cluster, worker -> {
                TensorId weights = Tensors.init(worker, TensorSpec.dense("weights", 101, 3));
                PartialReduce ready = PartialReduce.of(worker, 7, 2, Duration.ofMillis(3));
                Random random = new Random(worker.rank());
                for (int round = 0; round < 50; round++) {
                    LockSupport.parkNanos(random.nextInt(6_000_000));
                    float[] values = new float[303];
                    Arrays.fill(values, 1 << worker.rank());
                    int[] partners = ready.average(weights, values);
                    float sum = Arrays.stream(partners).map(rank -> 1 << rank).sum();
                    assertThat(values).containsOnly(sum / partners.length);
                }
                assertThat(Tensors.pull(worker, weights)).containsOnly(0);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aPartnerThatHasLeftIsNotWaitedForWithItsValues(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            TensorId weights = Tensors.init(cluster.worker(), TensorSpec.dense("weights", 4));
            int[] all = {0, 1, 2};
            Pending<PartialReduceMean.Response> zero =
                    PartialReduceMeanPsf.stub(cluster.worker(0)).call(weights, 7, 0, all, FloatArray.of(1, 2, 3, 4));
            Pending<PartialReduceMean.Response> one =
                    PartialReduceMeanPsf.stub(cluster.worker(1)).call(weights, 7, 0, all, FloatArray.of(3, 4, 5, 6));
            cluster.worker(2).close();
            assertThat(zero.await().mean()).isEqualTo(FloatArray.of(2, 3, 4, 5));
            assertThat(one.await().mean()).isEqualTo(FloatArray.of(2, 3, 4, 5));
        }
    }

    /** Each worker is in one group a round, and a group's members are told the same. */
    @ParameterizedTest
    @CsvSource({"MEMORY, 2", "TCP, 2", "MEMORY, 3", "TCP, 3"})
    void aHundredRoundsOfWorkersOfRandomSpeed(Over over, int wanted) {
        int rounds = 100;
        List<List<int[]>> told = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            Clusters.onEachWorker(cluster, worker -> {
                Random random = new Random(worker.rank());
                PartialReduce group = PartialReduce.of(worker, 7, wanted, Duration.ofMillis(3));
                for (int round = 0; round < rounds; round++) {
                    LockSupport.parkNanos(random.nextInt(6_000_000));
                    told.get(worker.rank()).add(group.partners());
                }
            });
        }
        int[] at = new int[3];
        int alone = 0;
        int together = 0;
        while (Arrays.stream(at).sum() < 3 * rounds) {
            int[] group = nextGroup(told, at);
            assertThat(group).isSorted().hasSizeBetween(1, wanted);
            for (int rank : group) {
                at[rank]++;
            }
            alone += group.length == 1 ? 1 : 0;
            together += group.length == wanted ? 1 : 0;
        }
        assertThat(at).containsOnly(rounds);
        assertThat(together)
                .as("groups of all that were wanted; %d alone", alone)
                .isPositive();
    }

    /** The oldest group that all of its members have been told of next. */
    private static int[] nextGroup(List<List<int[]>> told, int[] at) {
        for (int rank = 0; rank < at.length; rank++) {
            if (at[rank] < told.get(rank).size()) {
                int[] group = told.get(rank).get(at[rank]);
                assertThat(group).contains(rank);
                if (Arrays.stream(group)
                        .allMatch(each -> at[each] < told.get(each).size()
                                && Arrays.equals(group, told.get(each).get(at[each])))) {
                    return group;
                }
            }
        }
        throw new AssertionError("no group whose members were all told of it, at " + Arrays.toString(at));
    }
}
