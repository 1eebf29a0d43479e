package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    private static FunctionStatistics of(Statistics statistics, String function) {
        return statistics.functions().stream()
                .filter(each -> each.function().equals(function))
                .findFirst()
                .orElseThrow();
    }
}
