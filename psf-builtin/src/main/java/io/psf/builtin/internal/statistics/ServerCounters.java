package io.psf.builtin.internal.statistics;

import io.psf.api.CallPart;
import io.psf.api.Metered;
import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.NodeInfo;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.TensorId;
import io.psf.builtin.internal.statistics.CollectStatistics.OfFunction;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts the requests of a server by function and by slice. Thread-safe. */
public final class ServerCounters implements RequestListener, Metered {
    /** The requests of slices beyond so many are counted by function alone. */
    private static final int MOST_SLICES = 4096;

    private final Map<String, FunctionCounters> functions = new ConcurrentHashMap<>();
    private final Map<Slice, SliceCounters> slices = new ConcurrentHashMap<>();
    /** Of the requests that are counted by function alone. */
    private final SliceCounters others = new SliceCounters();

    private volatile @Nullable Node node;
    private final long begin = System.nanoTime();

    /** The node that is listened to. */
    private record Node(NodeInfo info, Supplier<List<Metric>> metrics) {}

    /** A slice of a tensor. */
    private record Slice(TensorId tensor, int slice) {}

    private FunctionCounters of(CallPart request) {
        FunctionCounters there = functions.get(request.function()); // computeIfAbsent may lock
        return there != null ? there : functions.computeIfAbsent(request.function(), name -> new FunctionCounters());
    }

    /** Returns the counters of a request's slice; those of nobody if it has none, or there are too many slices. */
    private SliceCounters ofSlice(CallPart request) {
        TensorId tensor = request.tensor();
        if (tensor == null) {
            return others;
        }
        Slice slice = new Slice(tensor, request.slice());
        SliceCounters there = slices.get(slice);
        if (there != null) {
            return there;
        }
        return slices.size() < MOST_SLICES ? slices.computeIfAbsent(slice, made -> new SliceCounters()) : others;
    }

    @Override
    public void started(NodeInfo info, Supplier<List<Metric>> metrics) {
        node = new Node(info, metrics);
    }

    @Override
    public void queued(CallPart request, long bytes, int depth) {
        of(request).queued(bytes);
        ofSlice(request).moved(bytes);
    }

    @Override
    public void handled(CallPart request, long waitedNanos, long ranNanos) {
        of(request).handled(waitedNanos, ranNanos);
        ofSlice(request).ran(ranNanos);
    }

    @Override
    public void answered(CallPart request, PsException.Code outcome, long bytes, long nanos) {
        of(request).answered(outcome, bytes, nanos);
        ofSlice(request).moved(bytes);
    }

    @Override
    public void measure(Metrics to) {
        slices.forEach((slice, counters) ->
                counters.measure(to.with("tensor", slice.tensor().name()).with("slice", slice.slice())));
    }

    /** Returns the time that this server has counted for. */
    public long nanos() {
        return System.nanoTime() - begin;
    }

    /**
     * Returns the counts.
     *
     * @param server the rank of this server
     */
    public List<OfFunction> functions(int server) {
        return new TreeMap<>(functions)
                .entrySet().stream()
                        .map(each -> each.getValue().statistics(server, each.getKey()))
                        .toList();
    }

    /** Returns the numbers of the node that is listened to, those of functions included; none before it has started. */
    public List<Metric> metrics() {
        Node here = node;
        if (here == null) {
            return List.of();
        }
        Metrics metrics = new Metrics();
        metrics.addAll(here.metrics().get());
        measure(metrics);
        functions(here.info().rank()).forEach(each -> measure(each, metrics.with("function", each.function())));
        return metrics.all();
    }

    /** Returns the same in the text format of OpenMetrics, with the times of functions. */
    public String text() {
        MetricsText text = new MetricsText();
        Node here = node;
        if (here != null) {
            NodeInfo info = here.info();
            text.info(
                    "psf_node",
                    "the node",
                    Map.of("role", info.role().label(), "rank", "" + info.rank(), "cluster", info.cluster()));
            metrics().forEach(text::add);
            List<OfFunction> all = functions(info.rank());
            text.add("psf.requests.waiting", "from arrival to handler", by(all, OfFunction::waiting));
            text.add("psf.requests.running", "time that handlers took", by(all, OfFunction::running));
            text.add("psf.requests.answered", "from arrival to answer", by(all, OfFunction::answered));
        }
        return text.end();
    }

    private static SortedMap<String, Times> by(List<OfFunction> functions, Function<OfFunction, Times> which) {
        return functions.stream().collect(Collectors.toMap(OfFunction::function, which, Times::plus, TreeMap::new));
    }

    private static void measure(OfFunction function, Metrics to) {
        for (CollectStatistics.Outcome each : function.outcomes()) {
            to.with("outcome", each.code()).counter("psf.requests", "requests", "requests answered", each.count());
        }
        to.with("direction", "in").counter("psf.requests.traffic", "bytes", "bytes of messages", function.bytesIn());
        to.with("direction", "out").counter("psf.requests.traffic", "bytes", "bytes of messages", function.bytesOut());
    }
}
