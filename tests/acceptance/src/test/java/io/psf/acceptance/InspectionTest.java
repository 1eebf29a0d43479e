package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.psf.api.Metric;
import io.psf.api.Node;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.HotKey;
import io.psf.builtin.Latency;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Statistics;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inspection of a running cluster. */
final class InspectionTest {
    private static final String PUSH = "psf.dense.push";

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void tensorsAreListedWithRowsAndMemory(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId grown = Tensors.init(
                    worker, TensorSpec.growing("grown", 8).slices(4).optimizer(Optimizers.adam(0.1, 0.9, 0.999, 1e-8)));
            Tensors.init(worker, TensorSpec.table("counted", 10, 3).placement(CountingFactory.COUNTING));
            Tensors.init(worker, TensorSpec.dense("w", 1 << 20));
            Tensors.pushRows(worker, grown, new long[] {3, -1, 77}, new float[24])
                    .await();

            TensorSummary counted = Tensors.list(worker).get(0);
            assertThat(counted.placements()).containsExactly(CountingFactory.COUNTING);
            assertThat(counted.bytes()).isEqualTo(new ShardBytes(10 * 3 * 4, 0, 0, 0));

            TensorSummary table = Tensors.list(worker).get(1);
            assertThat(table.tensor().id()).isEqualTo(grown);
            assertThat(table.slices()).isEqualTo(4);
            assertThat(table.rows()).isEqualTo(3);
            assertThat(table.parts()).extracting(TensorSummary.Part::server).containsExactly(0, 1);
            assertThat(table.bytes().values()).isEqualTo(3 * 8 * 4);
            assertThat(table.bytes().slots()).isGreaterThanOrEqualTo(2 * 3 * 8 * 4);
            assertThat(table.bytes().index()).isGreaterThan(4 * 1024 * 8);

            TensorSummary dense = Tensors.list(worker).get(2);
            assertThat(dense.bytes()).isEqualTo(new ShardBytes(4 << 20, 0, 0, 0));
            assertThat(dense.slices()).isEqualTo(16);
            assertThat(dense.placements()).containsExactly(Node.HOST);
        }
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void requestsAreCountedFromTheFirstStatisticsOn(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000).slices(2));
            Tensors.push(worker, w, new float[1000]).await();
            var unused =
                    Tensors.pull(worker, w); // when the lanes have ended the push, which is counted after its answer
            assertThat(Statistics.of(worker).functions()).isEmpty();
            for (int i = 0; i < 5; i++) {
                Tensors.push(worker, w, new float[1000]).await();
            }
            assertThatThrownBy(() -> FaultyPsf.stub(worker)
                            .call(w, Faulty.Fault.EXCEPTION)
                            .await())
                    .isInstanceOf(PsException.class);
            await().untilAsserted(() -> assertThat(
                            of(Statistics.of(worker), PUSH).running().count())
                    .isEqualTo(10)); // a handler's time is counted after its answer is sent

            Statistics statistics = Statistics.of(worker);
            assertThat(statistics.time()).isPositive();
            assertThat(statistics.servers()).containsOnlyKeys(0, 1);
            assertThat(statistics.servers().get(1))
                    .anySatisfy(each -> assertThat(each.function()).isEqualTo(PUSH));
            FunctionStatistics push = of(statistics, PUSH);
            assertThat(push.outcomes()).isEqualTo(new TreeMap<>(Map.of("OK", 10L)));
            assertThat(push.count()).isEqualTo(10);
            assertThat(push.bytesIn()).isBetween(5 * 4000L, 5 * 6000L);
            assertThat(push.bytesOut()).isBetween(10L, 10 * 200L);
            assertThat(push.waiting().count()).isEqualTo(10);
            for (Latency each : List.of(push.running(), push.answered())) {
                assertThat(each.maxNanos())
                        .isBetween(each.p99Nanos(), Duration.ofSeconds(30).toNanos());
                assertThat(each.p99Nanos()).isGreaterThanOrEqualTo(each.p50Nanos());
                assertThat(each.p50Nanos()).isPositive();
                assertThat(each.meanNanos()).isPositive();
            }
            FunctionStatistics faulty = of(statistics, FaultyPsf.FUNCTION.info().name());
            assertThat(faulty.outcomes()).containsOnlyKeys(PsException.Code.HANDLER_FAILED.name());
        }
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void tensorsAndTheLoadOfTheirSlicesAreMeasured(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000, 4).slices(4));
            TensorId table = Tensors.init(
                    worker,
                    TensorSpec.growing("table", 2)
                            .slices(2)
                            .policy(TablePolicy.keepAll().mostRows(2)));
            Statistics.of(worker);
            Tensors.pushRows(worker, table, new long[] {1}, new float[2]).await();
            Tensors.pushRows(worker, table, new long[] {1, 3, 5, 7}, new float[8])
                    .await();
            Tensors.push(worker, w, new float[4000]).await();
            Statistics statistics = Statistics.of(worker);
            Metric rows = metric(statistics, "psf.tensor.rows");
            assertThat(rows.samples())
                    .contains(new Metric.Sample(Map.of("tensor", "w"), 1000))
                    .anySatisfy(each -> assertThat(each.labels()).containsEntry("tensor", "table"));
            assertThat(metric(statistics, "psf.tensor.bytes").samples())
                    .contains(new Metric.Sample(Map.of("tensor", "w", "part", "values"), 16_000));
            for (int slice = 0; slice < 4; slice++) {
                Map<String, String> labels = Map.of("tensor", "w", "slice", "" + slice);
                assertThat(metric(statistics, "psf.slice.rows").samples()).contains(new Metric.Sample(labels, 250));
                assertThat(metric(statistics, "psf.slice.requests").samples()).contains(new Metric.Sample(labels, 1));
                assertThat(metric(statistics, "psf.slice.traffic").samples())
                        .filteredOn(each -> each.labels().equals(labels))
                        .allSatisfy(each -> assertThat(each.value()).isBetween(4000.0, 5000.0))
                        .hasSize(1);
            }
            assertThat(statistics.total("psf.table.admitted")).isBetween(2.0, 5.0);
            assertThat(statistics.total("psf.table.evicted")).isPositive();
            assertThat(statistics.total("psf.memory.bound")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void hotKeysAreCountedFromTheFirstQuestionOn(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("table", 1).slices(4));
            assertThat(HotKey.of(worker, table, 3)).isEmpty();
            Random random = new Random(1);
            for (int call = 0; call < 500; call++) {
                long[] keys = random.longs(5, 1000, Long.MAX_VALUE).toArray();
                keys[0] = 77;
                keys[1] = call % 2 == 0 ? 5 : keys[1];
                Tensors.pullRows(worker, table, keys, new float[5]).await();
            }
            List<HotKey> hot = HotKey.of(worker, table, 3);
            assertThat(hot).hasSize(3);
            assertThat(hot.get(0).key()).isEqualTo(77);
            assertThat(hot.get(0).share()).isCloseTo(0.2, within(0.05));
            assertThat(hot.get(1).key()).isEqualTo(5);
            assertThat(hot.get(1).share()).isCloseTo(0.1, within(0.05));
            assertThat(hot.get(2).share()).isLessThan(0.05);
        }
    }

    @Test
    void aCallThatWaitsSaysForWhom() {
        try (PsCluster cluster = Clusters.start(Clusters.Over.TCP, 1, 2)) {
            TensorId w = Tensors.init(
                    cluster.worker(), TensorSpec.dense("w", 8).slices(2).updates(Updates.SUM));
            Pending<?> first = Tensors.push(cluster.worker(0), w, new float[8]);
            await().until(() -> !Statistics.of(cluster.worker(1))
                    .waiting()
                    .getOrDefault(0, List.of())
                    .isEmpty());
            Statistics statistics = Statistics.of(cluster.worker(1));
            assertThat(statistics.waiting().get(0)).singleElement().satisfies(each -> {
                assertThat(each.function()).isEqualTo(PUSH);
                assertThat(each.tensor()).isEqualTo("w");
                assertThat(each.workers()).containsExactly(0);
                assertThat(each.awaited()).containsExactly(1);
                assertThat(each.reason()).startsWith("workers without a push in round 1: [1]");
                assertThat(each.nanos()).isPositive();
            });
            Map<String, String> awaited = Map.of("function", PUSH, "tensor", "w", "worker", "1");
            assertThat(metric(statistics, "psf.workers.awaited").samples())
                    .containsExactly(new Metric.Sample(awaited, 1));
            assertThat(statistics.total("psf.rounds.open")).isEqualTo(2);
            Tensors.push(cluster.worker(1), w, new float[8]).await();
            first.await();
            assertThat(statistics.total("psf.rounds.closed")).isZero();
            await().until(() -> Statistics.of(cluster.worker()).total("psf.rounds.closed") == 1);
            assertThat(Statistics.of(cluster.worker()).waiting().get(0)).isEmpty();
        }
    }

    private static Metric metric(Statistics statistics, String name) {
        return statistics.total().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + ": not measured"));
    }

    private static FunctionStatistics of(Statistics statistics, String function) {
        return statistics.functions().stream()
                .filter(each -> each.function().equals(function))
                .findFirst()
                .orElseThrow();
    }
}
