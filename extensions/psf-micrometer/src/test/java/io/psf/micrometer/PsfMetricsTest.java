package io.psf.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.psf.api.Metric;
import io.psf.api.Metric.Kind;
import io.psf.api.Metric.Sample;
import io.psf.api.TensorId;
import io.psf.builtin.OpenMetrics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of a registry. */
@Timeout(60)
final class PsfMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void theMetersOfAServerHaveItsNumbers() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            OpenMetrics metrics = new OpenMetrics();
            cluster.servers().get(0).listen(metrics.listener());
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            Tensors.push(cluster.worker(), w, new float[4]).await();
            Tensors.pull(cluster.worker(), w); // counted after the push has been
            new PsfMetrics(metrics::metrics).bindTo(registry);
            assertThat(registry.get("psf.tensor.rows")
                            .tag("tensor", "w")
                            .gauge()
                            .value())
                    .isEqualTo(4);
            assertThat(registry.get("psf.requests")
                            .tag("function", "psf.dense.push")
                            .tag("outcome", "OK")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void numbersThatAppearLaterBecomeMeters() throws InterruptedException {
        List<Sample> samples = new ArrayList<>(List.of(new Sample(Map.of("tensor", "a"), 1)));
        PsfMetrics binder = new PsfMetrics(() -> List.of(new Metric("rows", Kind.GAUGE, "rows", "rows", samples)));
        binder.bindTo(registry);
        samples.set(0, new Sample(Map.of("tensor", "b"), 2));
        assertThat(registry.get("rows").tag("tensor", "a").gauge().value()).isEqualTo(1);
        long until = System.nanoTime() + 1_000_000_000L;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        assertThat(registry.get("rows").tag("tensor", "a").gauge().value())
                .as("gone")
                .isZero();
        assertThat(registry.get("rows").tag("tensor", "b").gauge().value()).isEqualTo(2);
    }
}
