package io.psf.cli;

import io.psf.api.NodeHealth;
import io.psf.api.RequestListener;
import io.psf.builtin.OpenMetrics;
import io.psf.runtime.Settings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node shows over HTTP: probes and metrics at {@code PSF_HEALTH}, metrics alone at {@code PSF_METRICS}. Requests
 * are counted from the start with {@code PSF_METRICS}, else from the first time on that somebody reads the metrics.
 * Thread-safe.
 */
final class NodePages implements AutoCloseable {
    private final List<ProbeServer> servers = new ArrayList<>();
    private final OpenMetrics metrics = new OpenMetrics();
    private final boolean countsFromTheStart;
    /** Adds a listener to the node; null until the node has started. Guarded by this. */
    private @Nullable Consumer<RequestListener> node;
    /** Guarded by this. */
    private boolean counts;

    /**
     * Listens where the settings say so.
     *
     * @param health says how the node is, on any thread
     */
    NodePages(Settings settings, Supplier<NodeHealth> health) {
        InetSocketAddress probes = settings.health();
        InetSocketAddress numbers = settings.metrics();
        countsFromTheStart = numbers != null;
        try {
            if (probes != null) {
                Map<String, Supplier<ProbeServer.Page>> pages = ProbeServer.probes(health);
                pages.put("/metrics", this::metrics);
                servers.add(ProbeServer.start("PSF_HEALTH", probes, pages));
            }
            if (numbers != null) {
                servers.add(ProbeServer.start("PSF_METRICS", numbers, Map.of("/metrics", this::metrics)));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Shows the metrics of a node from now on.
     *
     * @param listen adds a listener to it
     */
    synchronized void show(Consumer<RequestListener> listen) {
        node = listen;
        if (countsFromTheStart) {
            count();
        }
    }

    private synchronized boolean count() {
        Consumer<RequestListener> here = node;
        if (!counts && here != null) {
            counts = true;
            here.accept(metrics.listener());
        }
        return counts;
    }

    /** Returns the ports, of probes before that of metrics. */
    List<Integer> ports() {
        return servers.stream().map(ProbeServer::port).toList();
    }

    private ProbeServer.Page metrics() {
        return count()
                ? new ProbeServer.Page(true, OpenMetrics.TYPE, metrics.text())
                : ProbeServer.Page.line(false, "metrics: none yet (expected: of a node that has joined its cluster)");
    }

    @Override
    public void close() {
        servers.forEach(ProbeServer::close);
    }
}
