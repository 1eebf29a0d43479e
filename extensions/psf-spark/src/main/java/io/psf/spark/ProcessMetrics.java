package io.psf.spark;

import com.codahale.metrics.CachedGauge;
import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.Metric;
import io.psf.api.NodeInfo;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Counts the calls of this process's client and the requests of its servers in a registry of Spark, whose sinks name
 * them after the plugin. Thread-safe.
 */
final class ProcessMetrics {
    private final MetricRegistry registry;

    ProcessMetrics(MetricRegistry registry) {
        this.registry = registry;
    }

    /** Returns what counts the calls of a client. */
    CallListener calls() {
        Counter calls = registry.counter("calls");
        Counter failed = registry.counter("calls.failed");
        Counter nanos = registry.counter("calls.nanos");
        Counter sent = registry.counter("calls.bytesSent");
        Counter received = registry.counter("calls.bytesReceived");
        return new CallListener() {
            @Override
            public void sent(CallPart part, long bytes) {
                sent.inc(bytes);
            }

            @Override
            public void received(CallPart part, long bytes) {
                received.inc(bytes);
            }

            @Override
            public void ended(CallPart part, PsException.Code outcome, long time) {
                calls.inc();
                nanos.inc(time);
                if (outcome != PsException.Code.OK) {
                    failed.inc();
                }
            }
        };
    }

    /** Returns what counts the requests of a server, and has the numbers that it has at its start. */
    RequestListener requests() {
        Counter requests = registry.counter("server.requests");
        Counter waited = registry.counter("server.waitedNanos");
        Counter ran = registry.counter("server.ranNanos");
        return new RequestListener() {
            @Override
            public void started(NodeInfo node, Supplier<List<Metric>> metrics) {
                show(metrics);
            }

            @Override
            public void handled(CallPart part, long waitedNanos, long ranNanos) {
                requests.inc();
                waited.inc(waitedNanos);
                ran.inc(ranNanos);
            }
        };
    }

    /** Shows the numbers of the server that this process has started last, which is asked once a second at most. */
    private synchronized void show(Supplier<List<Metric>> metrics) {
        CachedGauge<Map<String, Double>> values = new CachedGauge<>(1, TimeUnit.SECONDS) {
            @Override
            protected Map<String, Double> loadValue() {
                return metrics.get().stream().collect(Collectors.toMap(Metric::name, Metric::value));
            }
        };
        for (String each : values.getValue().keySet()) {
            String name = each.replaceFirst("^psf\\.", "server.");
            registry.remove(name);
            registry.register(
                    name, (Gauge<Long>) () -> Math.round(values.getValue().getOrDefault(each, 0.0)));
        }
    }
}
