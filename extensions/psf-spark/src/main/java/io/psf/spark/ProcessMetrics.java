package io.psf.spark;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import io.psf.api.CallListener;
import io.psf.api.Gauge;
import io.psf.api.NodeInfo;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import java.util.List;

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
            public void sent(String function, long bytes) {
                sent.inc(bytes);
            }

            @Override
            public void received(String function, long bytes) {
                received.inc(bytes);
            }

            @Override
            public void ended(String function, PsException.Code outcome, long time) {
                calls.inc();
                nanos.inc(time);
                if (outcome != PsException.Code.OK) {
                    failed.inc();
                }
            }
        };
    }

    /** Returns what counts the requests of a server, and has its gauges. */
    RequestListener requests() {
        Counter requests = registry.counter("server.requests");
        Counter waited = registry.counter("server.waitedNanos");
        Counter ran = registry.counter("server.ranNanos");
        return new RequestListener() {
            @Override
            public void started(NodeInfo node, List<Gauge> gauges) {
                gauges.forEach(ProcessMetrics.this::show);
            }

            @Override
            public void handled(String function, long waitedNanos, long ranNanos) {
                requests.inc();
                waited.inc(waitedNanos);
                ran.inc(ranNanos);
            }
        };
    }

    /** Shows a gauge of the server that this process has started last. */
    private synchronized void show(Gauge gauge) {
        String name = gauge.name().replaceFirst("^psf\\.", "server.");
        registry.remove(name);
        registry.register(name, (com.codahale.metrics.Gauge<Long>) gauge::read);
    }
}
