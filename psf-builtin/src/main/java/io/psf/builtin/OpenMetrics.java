package io.psf.builtin;

import io.psf.api.Metric;
import io.psf.api.RequestListener;
import io.psf.builtin.internal.statistics.ServerCounters;
import java.util.List;

/**
 * The numbers of a server or the scheduler as text that Prometheus reads, in the format of OpenMetrics 1.0. It counts
 * the requests from the time on that its listener is added to the node. Thread-safe.
 *
 * <pre>{@code
 * OpenMetrics metrics = new OpenMetrics();
 * server.listen(metrics.listener());
 * // for each GET /metrics, with the header Content-Type: OpenMetrics.TYPE
 * String text = metrics.text();
 * }</pre>
 */
public final class OpenMetrics {
    /** The content type of the text. */
    public static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final ServerCounters counters = new ServerCounters();

    /** Returns what has to be added to the node. */
    public RequestListener listener() {
        return counters;
    }

    /** Returns the same numbers, without the distributions of times, for other libraries. */
    public List<Metric> metrics() {
        return counters.metrics();
    }

    /**
     * Returns the text. Blocks until the lanes have answered, for a second at most. Before the node has started, it has
     * no numbers.
     */
    public String text() {
        return counters.text();
    }
}
