package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.testkit.TestCluster;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The values that workers report. */
@Timeout(60)
class ReportsTest {
    private final TestCluster cluster = TestCluster.of(2, 3);

    private static void report(ClusterCaller worker, long begin, long end) {
        LongStream.range(begin, end)
                .forEach(step ->
                        Reports.scalar(worker, "loss", step, 1.0 / (1 + step)).await());
    }

    @Test
    void aSeriesHasTheValuesOfOneWorkerByStep() {
        for (int rank = 2; rank >= 0; rank--) {
            report(cluster.worker(rank), 0, 4);
        }
        Reports.scalar(cluster.worker(1), "auc", 3, Double.NaN).await();

        List<Reports.Series> all = Reports.of(cluster.worker(0));

        assertThat(all)
                .extracting(each -> each.tag() + each.worker())
                .containsExactly("auc1", "loss0", "loss1", "loss2");
        assertThat(all.get(0).values()).containsExactly(Double.NaN);
        assertThat(all.get(1).steps()).containsExactly(0, 1, 2, 3);
        assertThat(all.get(1).values()).containsExactly(1, 1 / 2d, 1 / 3d, 1 / 4d);
        assertThat(all.get(1).millis()).isSorted().hasSize(4);
    }

    @Test
    void aLongSeriesIsThinnedOutEvenlyAndHasItsNewestPoint() {
        ClusterCaller worker = cluster.worker(0);
        for (long end : new long[] {511, 512, 513, 1025, 5000}) {
            long[] before = end == 511 ? new long[0] : Reports.of(worker).get(0).steps();
            report(worker, before.length == 0 ? 0 : before[before.length - 1] + 1, end);

            long[] steps = Reports.of(worker).get(0).steps();

            assertThat(steps).as("of %d", end).startsWith(0).endsWith(end - 1).isSorted();
            assertThat(steps.length).isBetween((int) Math.min(end, 256), 512);
            long stride = steps[1];
            for (int i = 0; i < steps.length - 1; i++) {
                assertThat(steps[i]).isEqualTo(i * stride);
            }
        }
    }

    @Test
    void aReaderGetsNoMorePointsThanItAsksFor() {
        ClusterCaller worker = cluster.worker(0);
        report(worker, 0, 100);
        for (int most = 2; most <= 101; most++) {
            long[] steps = Reports.of(worker, most).get(0).steps();
            assertThat(steps).startsWith(0).endsWith(99).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(most);
        }
        assertThatThrownBy(() -> Reports.of(worker, 1)).hasMessageContaining("points of a series: 1 (expected: >= 2)");
    }

    @Test
    void aWorkerThatGoesBackReplacesItsLaterPoints() {
        ClusterCaller worker = cluster.worker(0);
        report(worker, 0, 1000);
        report(cluster.worker(1), 0, 10);
        Reports.scalar(worker, "loss", 600, 7).await();

        List<Reports.Series> all = Reports.of(worker);

        assertThat(all.get(0).steps())
                .startsWith(0, 2)
                .contains(598)
                .endsWith(600)
                .isSorted();
        assertThat(all.get(0).values()).endsWith(7);
        assertThat(all.get(1).steps()).hasSize(10);
    }

    @Test
    void aTagIsAName() {
        assertThatThrownBy(() -> Reports.scalar(cluster.worker(0), "a\nb", 0, 1).await())
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                .hasMessageContaining("name of a reported value");
    }
}
