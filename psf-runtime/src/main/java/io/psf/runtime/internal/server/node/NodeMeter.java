package io.psf.runtime.internal.server.node;

import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Waiting;
import io.psf.api.spi.NodeNumbers;
import io.psf.runtime.internal.server.lane.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Measures a node: its shards and the state of its functions on their lanes, what waits there, and its other parts on
 * the thread that asks. Thread-safe.
 */
final class NodeMeter {
    /** The most numbers of one name, and the most entries of what waits: a node may have many tensors and slices. */
    static final int MOST = 4096;

    /** The time that lanes have to answer. */
    private static final long PATIENCE_MILLIS = 1000;

    private final List<LaneMeter> lanes;
    private final List<Metered> parts = new CopyOnWriteArrayList<>();

    /**
     * Creates the meter of a node.
     *
     * @param measure measures what a lane has, on the lane
     */
    NodeMeter(List<Lane> lanes, Function<Lane, NodeNumbers> measure) {
        this.lanes = lanes.stream().map(lane -> new LaneMeter(lane, measure)).toList();
    }

    /** Adds a part of the node that any thread may measure. */
    void add(Metered part) {
        parts.add(part);
    }

    /** Returns the numbers, after a second at most: a lane that is busy for longer shows its last numbers. */
    CompletableFuture<NodeNumbers> measure() {
        CompletableFuture<?>[] asked = lanes.stream().map(LaneMeter::measure).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(asked)
                .completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .thenApply(done -> combined());
    }

    private NodeNumbers combined() {
        Metrics metrics = new Metrics(MOST);
        parts.forEach(part -> part.measure(metrics));
        List<Waiting> waiting = new ArrayList<>();
        for (LaneMeter lane : lanes) {
            metrics.addAll(lane.last().metrics());
            waiting.addAll(lane.last().waiting());
        }
        List<Waiting> merged = merged(waiting);
        merged.forEach(each -> measure(each, metrics));
        return new NodeNumbers(metrics.all(), merged);
    }

    private static List<Waiting> merged(List<Waiting> all) {
        Map<String, Waiting> merged = new TreeMap<>();
        all.forEach(each -> merged.merge(each.function() + '\n' + each.tensor(), each, Waiting::plus));
        return merged.values().stream().limit(MOST).toList();
    }

    private static void measure(Waiting calls, Metrics to) {
        Metrics here = to.with("function", calls.function()).with("tensor", calls.tensor());
        here.gauge("psf.calls.waiting", "calls", "calls that wait for others", calls.calls());
        here.highest("psf.calls.waiting.time", "seconds", "how long the oldest one has waited", calls.nanos() / 1e9);
        for (int worker : calls.awaited()) {
            here.with("worker", worker).highest("psf.workers.awaited", "workers", "1: calls wait for the worker", 1);
        }
    }
}
