package io.psf.builtin.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Metric;
import io.psf.api.Metric.Kind;
import io.psf.api.Metric.Sample;
import io.psf.api.Metrics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The text for Prometheus. */
final class MetricsTextTest {
    private final MetricsText text = new MetricsText();

    private static Metric metric(String name, Kind kind, String unit, Map<String, String> labels, double value) {
        return new Metric(name, kind, unit, "a \"b\" \\ c\nd", List.of(new Sample(labels, value)));
    }

    @Test
    void namesEndWithTheirUnitsAndCountersWithTotal() {
        text.add(metric("psf.slice.busy", Kind.COUNTER, "seconds", Map.of("slice", "7", "tensor", "w"), 0.25));
        text.add(metric("psf.tensor.bytes", Kind.GAUGE, "bytes", Map.of(), 1 << 20));
        text.add(metric("psf.sessions", Kind.HIGHEST, "sessions", Map.of(), 3));
        assertThat(text.end()).isEqualTo("""
                        # TYPE psf_slice_busy_seconds counter
                        # UNIT psf_slice_busy_seconds seconds
                        # HELP psf_slice_busy_seconds a \\"b\\" \\\\ c\\nd
                        psf_slice_busy_seconds_total{slice="7",tensor="w"} 0.25
                        # TYPE psf_tensor_bytes gauge
                        # UNIT psf_tensor_bytes bytes
                        # HELP psf_tensor_bytes a \\"b\\" \\\\ c\\nd
                        psf_tensor_bytes 1048576
                        # TYPE psf_sessions gauge
                        # HELP psf_sessions a \\"b\\" \\\\ c\\nd
                        psf_sessions 3
                        # EOF
                        """);
    }

    @Test
    void labelsAreEscaped() {
        text.add(metric("acme-x", Kind.GAUGE, "", Map.of("my label", "a\"b\\c\nd"), 1));
        assertThat(text.end()).contains("\nacme_x{my_label=\"a\\\"b\\\\c\\nd\"} 1\n");
    }

    /** A user's function may have a name that psf has: the text would be refused as a whole. */
    @Test
    void aFamilyIsThereOnce() {
        text.add(metric("a.b", Kind.GAUGE, "", Map.of(), 1));
        text.add(metric("a_b", Kind.GAUGE, "", Map.of(), 2));
        assertThat(text.end()).containsOnlyOnce("# TYPE").contains("a_b 1\n");
    }

    @Test
    void aHistogramHasSixteenBuckets() {
        Histogram times = new Histogram();
        times.add(1000); // below a microsecond, which is 1024 ns here
        times.add(1024);
        times.add(5000);
        times.add(Long.MAX_VALUE);
        text.add("psf.requests.waiting", "waits", new TreeMap<>(Map.of("f", times.times())));
        String all = text.end();
        assertThat(all.lines().filter(line -> line.startsWith("psf_requests_waiting_seconds_bucket")))
                .hasSize(16)
                .startsWith(
                        "psf_requests_waiting_seconds_bucket{function=\"f\",le=\"1.024E-6\"} 1",
                        "psf_requests_waiting_seconds_bucket{function=\"f\",le=\"4.096E-6\"} 2",
                        "psf_requests_waiting_seconds_bucket{function=\"f\",le=\"1.6384E-5\"} 3")
                .endsWith("psf_requests_waiting_seconds_bucket{function=\"f\",le=\"+Inf\"} 4");
        assertThat(all).contains("# TYPE psf_requests_waiting_seconds histogram\n", "_count{function=\"f\"} 4\n");
    }

    @Test
    void numbersWithTheSameLabelsAreCombinedAsTheirKindSays() {
        Metrics all = new Metrics();
        for (int slice = 1; slice <= 3; slice++) {
            Metrics ofTensor = all.with("tensor", "w");
            ofTensor.gauge("rows", "rows", "", slice);
            ofTensor.highest("age", "seconds", "", slice);
        }
        Metrics again = new Metrics();
        again.addAll(all.all());
        again.addAll(all.all());
        assertThat(again.all())
                .extracting(Metric::samples)
                .containsExactly(
                        List.of(new Sample(Map.of("tensor", "w"), 3)), List.of(new Sample(Map.of("tensor", "w"), 12)));
    }
}
