package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.cache.CacheCounters;
import io.psf.testkit.TestCluster;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The share of hits that a cache tells the servers. */
@Timeout(60)
class CacheReportTest {
    private final TestCluster cluster = TestCluster.of(2, 2);
    private final AtomicLong clock = new AtomicLong();
    private final CacheReport report = new CacheReport(cluster.worker(1), TensorId.of("items"), clock::get);

    private static CacheCounters counters(long rows, long misses) {
        return new CacheCounters(rows, misses, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void itIsToldOnceInTenSeconds() {
        report.lookedUp(() -> counters(10, 10));
        assertThat(Reports.of(cluster.worker(0))).isEmpty();
        clock.set(CacheReport.INTERVAL_NANOS);
        report.lookedUp(() -> counters(20, 10));
        report.lookedUp(() -> counters(30, 10));
        clock.set(2 * CacheReport.INTERVAL_NANOS);
        report.lookedUp(() -> counters(40, 10));
        cluster.worker(1).awaitAll();
        List<Reports.Series> told = Reports.of(cluster.worker(0));
        assertThat(told).singleElement().satisfies(each -> {
            assertThat(each.tag()).isEqualTo("cache hits of items");
            assertThat(each.worker()).isEqualTo(1);
            assertThat(each.steps()).containsExactly(2, 4);
            assertThat(each.values()).containsExactly(0.5, 0.75);
        });
    }
}
