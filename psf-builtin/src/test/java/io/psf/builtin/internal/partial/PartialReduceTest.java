package io.psf.builtin.internal.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.PartialReduce;
import io.psf.builtin.SideBySide;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.ssp.SspInitPsf;
import io.psf.builtin.internal.ssp.SspSyncPsf;
import io.psf.runtime.PsCluster;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PartialReduceTest {
    private static final long GROUP = 11;
    private static final TensorId T = TensorId.of("weights");

    private static TestCluster cluster() {
        return PsfTest.of(PartialReducePartnersPsf.bind(new PartialReducePartners() {}))
                .workers(5)
                .on(3);
    }

    private static Pending<PartialReducePartners.Response> come(TestCluster cluster, int rank, int wanted, int wait) {
        return come(cluster, GROUP, rank, wanted, wait);
    }

    private static Pending<PartialReducePartners.Response> come(
            TestCluster cluster, long group, int rank, int wanted, int wait) {
        return PartialReducePartnersPsf.stub(cluster.worker(rank)).call(group, rank, wanted, wait);
    }

    @Test
    void asManyAsWantedCloseTheGroupAtOnce() {
        TestCluster cluster = cluster();
        Pending<PartialReducePartners.Response> two = come(cluster, 2, 3, 1000);
        Pending<PartialReducePartners.Response> zero = come(cluster, 0, 3, 1000);
        assertThat(two.isDone() || zero.isDone()).isFalse();
        Pending<PartialReducePartners.Response> one = come(cluster, 1, 3, 1000);
        for (Pending<PartialReducePartners.Response> each : List.of(zero, one, two)) {
            assertThat(each.await().ranks()).containsExactly(0, 1, 2);
        }
    }

    @Test
    void oneThatIsWantedAloneGoesOnAtOnce() {
        assertThat(come(cluster(), 4, 1, 1000).await().ranks()).containsExactly(4);
    }

    @Test
    void theGroupClosesWithFewerWhenTheTimeOfTheFirstIsUp() {
        TestCluster cluster = cluster();
        Pending<PartialReducePartners.Response> one = come(cluster, 1, 3, 100);
        cluster.advance(Duration.ofMillis(60));
        Pending<PartialReducePartners.Response> zero = come(cluster, 0, 3, 5000);
        cluster.advance(Duration.ofMillis(39));
        assertThat(one.isDone() || zero.isDone()).isFalse();
        cluster.advance(Duration.ofMillis(1));
        assertThat(one.await().ranks()).containsExactly(0, 1);
        assertThat(zero.await().ranks()).containsExactly(0, 1);
    }

    @Test
    void theTimeOfAClosedGroupDoesNotEndTheNext() {
        TestCluster cluster = cluster();
        come(cluster, 0, 2, 100);
        cluster.advance(Duration.ofMillis(90));
        come(cluster, 1, 2, 100).await();
        Pending<PartialReducePartners.Response> next = come(cluster, 0, 2, 100);
        cluster.advance(Duration.ofMillis(99));
        assertThat(next.isDone()).isFalse();
        cluster.advance(Duration.ofMillis(1));
        assertThat(next.await().ranks()).containsExactly(0);
    }

    @Test
    void groupsOfOtherKeysAreApart() {
        TestCluster cluster = cluster();
        Pending<PartialReducePartners.Response> one = come(cluster, 1, 1, 2, 100);
        Pending<PartialReducePartners.Response> two = come(cluster, 2, 2, 2, 100);
        come(cluster, 1, 3, 2, 100);
        assertThat(one.await().ranks()).containsExactly(1, 3);
        assertThat(two.isDone()).isFalse();
        come(cluster, 2, 1, 2, 100);
        assertThat(two.await().ranks()).containsExactly(1, 2);
    }

    @Test
    void randomArrivalsAgreeWithAPlainModel() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            TestCluster cluster = cluster();
            Map<Integer, Pending<PartialReducePartners.Response>> open = new TreeMap<>();
            long now = 0;
            long closes = 0;
            for (int step = 0; step < 100; step++) {
                int rank = random.nextInt(5);
                if (random.nextInt(3) == 0) {
                    int passes = random.nextInt(30);
                    cluster.advance(Duration.ofMillis(passes));
                    now += passes;
                    if (!open.isEmpty() && now >= closes) {
                        requireClosed(open, "seed " + seed + ", step " + step);
                    }
                } else if (!open.containsKey(rank)) {
                    closes = open.isEmpty() ? now + 20 : closes;
                    open.put(rank, come(cluster, rank, 3, 20));
                    if (open.size() == 3) {
                        requireClosed(open, "seed " + seed + ", step " + step);
                    }
                }
                assertThat(open.values()).as("seed %d, step %d", seed, step).noneMatch(Pending::isDone);
            }
        }
    }

    private static void requireClosed(Map<Integer, Pending<PartialReducePartners.Response>> open, String where) {
        int[] ranks = open.keySet().stream().mapToInt(Integer::intValue).toArray();
        List<int[]> answers = new ArrayList<>();
        open.values().forEach(each -> answers.add(each.await().ranks()));
        assertThat(answers).as(where).allSatisfy(each -> assertThat(each).containsExactly(ranks));
        open.clear();
    }

    @Test
    void whatIsWrongIsNamedAndTheGroupGoesOn() {
        TestCluster cluster = cluster();
        refused(() -> come(cluster, 0, 0, 100).await(), "wanted: 0 (expected: >= 1)");
        refused(() -> come(cluster, 0, 2, -1).await(), "maxWaitMillis: -1 (expected: >= 0)");
        refused(
                () -> PartialReducePartnersPsf.stub(cluster)
                        .call(GROUP, -1, 2, 0)
                        .await(),
                "rank: -1 (expected: >= 0)");
        Pending<PartialReducePartners.Response> first = come(cluster, 0, 2, 100);
        refused(() -> come(cluster, 0, 2, 100).await(), "rank: 0 (expected: a rank not waiting yet; waiting: [0])");
        refused(() -> come(cluster, 1, 3, 100).await(), "wanted: 3 (expected: 2, with which the group was opened)");
        come(cluster, 1, 2, 100).await();
        assertThat(first.await().ranks()).containsExactly(0, 1);
    }

    private static Pending<PartialReduceMean.Response> mean(
            TestCluster cluster, int worker, long number, int[] ranks, float... values) {
        return PartialReduceMeanPsf.stub(cluster.worker(worker)).call(T, GROUP, number, ranks, FloatArray.of(values));
    }

    @Test
    void partnersAverageOnAnySlices() {
        List<FloatArray> means = PsfTest.of(PartialReduceMeanPsf.bind(new PartialReduceMean() {}))
                .tensor(T, 7, 1)
                .workers(4)
                .sameOnAnySlices(cluster -> {
                    int[] some = {1, 3};
                    Pending<PartialReduceMean.Response> one = mean(cluster, 1, 0, some, 1, 2, 3, 4, 5, 6, 7);
                    Pending<PartialReduceMean.Response> zero = mean(cluster, 0, 1, new int[] {0, 2}, new float[7]);
                    assertThat(one.isDone()).isFalse();
                    Pending<PartialReduceMean.Response> three = mean(cluster, 3, 0, some, 3, 2, 1, 0, -1, -2, 7);
                    assertThat(zero.isDone()).isFalse();
                    return List.of(one.await().mean(), three.await().mean());
                });
        assertThat(means).containsOnly(FloatArray.of(2, 2, 2, 2, 2, 2, 7));
    }

    @Test
    void partnersAreAddedUpInTheOrderOfRanks() {
        float[][] values = {{1e8f, 0.1f}, {1f, 0.2f}, {-1e8f, 0.7f}};
        FloatArray expected = FloatArray.of((1e8f + 1f - 1e8f) / 3, (0.1f + 0.2f + 0.7f) / 3);
        for (int[] order : new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            TestCluster cluster = PsfTest.of(PartialReduceMeanPsf.bind(new PartialReduceMean() {}))
                    .tensor(T, 2, 1)
                    .workers(3)
                    .on(2);
            List<Pending<PartialReduceMean.Response>> answers = new ArrayList<>();
            for (int worker : order) {
                answers.add(mean(cluster, worker, 0, new int[] {0, 1, 2}, values[worker]));
            }
            assertThat(answers)
                    .allSatisfy(each -> assertThat(each.await().mean()).isEqualTo(expected));
        }
    }

    @Test
    void theMeanIsTheSumDividedByTheNumberOfPartners() {
        TestCluster cluster = PsfTest.of(PartialReduceMeanPsf.bind(new PartialReduceMean() {}))
                .tensor(T, 2, 1)
                .workers(3)
                .on(1);
        int[] all = {0, 1, 2};
        mean(cluster, 0, 0, all, 2, 0.1f);
        mean(cluster, 1, 0, all, 2, 0.2f);
        assertThat(5f / 3).as("another value than by the inverse").isNotEqualTo(5 * (1f / 3));
        assertThat(mean(cluster, 2, 0, all, 1, 0.4f).await().mean())
                .isEqualTo(FloatArray.of(5f / 3, (0.1f + 0.2f + 0.4f) / 3));
    }

    @Test
    void whoIsNoPartnerIsRefused() {
        TestCluster cluster = PsfTest.of(PartialReduceMeanPsf.bind(new PartialReduceMean() {}))
                .tensor(T, 2, 1)
                .workers(3)
                .on(1);
        refused(
                () -> mean(cluster, 2, 0, new int[] {0, 1}, 1, 2).await(),
                "worker: 2 (expected: a partner that has not called yet: [0, 1])");
        Pending<PartialReduceMean.Response> zero = mean(cluster, 0, 0, new int[] {0, 1}, 1, 2);
        mean(cluster, 1, 0, new int[] {0, 1}, 3, 4).await();
        assertThat(zero.await().mean()).isEqualTo(FloatArray.of(2, 3));
    }

    @Test
    void oneThatHasLeftIsNotInTheGroup() {
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            Pending<?> gone = PartialReducePartnersPsf.stub(cluster.worker(2))
                    .withDeadline(Duration.ofMillis(100))
                    .call(GROUP, 2, 2, 10_000_000);
            cluster.worker(2).close(); // when its call has timed out
            assertThat(gone.isDone()).isTrue();
            SspInitPsf.stub(cluster.worker(0)).call(GROUP, 3, 0).await();
            Pending<?> one = SspSyncPsf.stub(cluster.worker(1)).call(GROUP, 1, 1);
            SspSyncPsf.stub(cluster.worker(0)).call(GROUP, 0, 1).await(); // when the group's server knows who has left
            one.await();
            Pending<PartialReducePartners.Response> zero =
                    PartialReducePartnersPsf.stub(cluster.worker(0)).call(GROUP, 0, 2, 10_000_000);
            assertThat(PartialReducePartnersPsf.stub(cluster.worker(1))
                            .call(GROUP, 1, 2, 10_000_000)
                            .await()
                            .ranks())
                    .containsExactly(0, 1);
            assertThat(zero.await().ranks()).containsExactly(0, 1);
        }
    }

    @Test
    void aPartnerThatHasLeftIsNotWaitedForWithItsValues() {
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            Tensors.init(cluster.worker(), TensorSpec.dense("weights", 4));
            int[] all = {0, 1, 2};
            Pending<PartialReduceMean.Response> zero =
                    PartialReduceMeanPsf.stub(cluster.worker(0)).call(T, GROUP, 0, all, FloatArray.of(1, 2, 3, 4));
            Pending<PartialReduceMean.Response> one =
                    PartialReduceMeanPsf.stub(cluster.worker(1)).call(T, GROUP, 0, all, FloatArray.of(3, 4, 5, 6));
            cluster.worker(2).close();
            assertThat(zero.await().mean()).isEqualTo(FloatArray.of(2, 3, 4, 5));
            assertThat(one.await().mean()).isEqualTo(FloatArray.of(2, 3, 4, 5));
        }
    }

    /**
     * Each worker is in one group a round, and a group's members are told the same. A worker's values are its own power
     * of two, so that a mean tells of which workers it is.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void workersOfRandomSpeedAverageWithThosePartnersThatTheyAreTold(int wanted) {
        int rounds = 100;
        List<List<int[]>> told;
        try (PsCluster cluster = PsCluster.embedded(2, 3)) {
            told = SideBySide.onAll(cluster.workers(), worker -> {
                Tensors.init(worker, TensorSpec.dense("weights", 101, 3));
                Random random = new Random(worker.rank());
                PartialReduce group = PartialReduce.of(worker, GROUP, wanted, Duration.ofMillis(3));
                List<int[]> groups = new ArrayList<>();
                float[] values = new float[303];
                for (int round = 0; round < rounds; round++) {
                    LockSupport.parkNanos(random.nextInt(6_000_000));
                    Arrays.fill(values, 1 << worker.rank());
                    int[] partners = group.average(T, values);
                    float sum = Arrays.stream(partners).map(rank -> 1 << rank).sum();
                    assertThat(values).containsOnly(sum / partners.length);
                    groups.add(partners);
                }
                assertThat(Tensors.pull(worker, T)).containsOnly(0);
                return groups;
            });
        }
        int[] at = new int[3];
        int together = 0;
        while (Arrays.stream(at).sum() < 3 * rounds) {
            int[] group = nextGroup(told, at);
            assertThat(group).isSorted().hasSizeBetween(1, wanted);
            for (int rank : group) {
                at[rank]++;
            }
            together += group.length == wanted ? 1 : 0;
        }
        assertThat(at).containsOnly(rounds);
        assertThat(together).as("groups of all that were wanted").isPositive();
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

    private static void refused(ThrowingCallable call, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                .hasMessageContaining(why);
    }
}
