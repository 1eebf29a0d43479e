package io.psf.builtin.internal.statistics;

import io.psf.api.PsException;
import io.psf.api.RequestListener;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the requests of a server by function. Thread-safe. */
final class ServerCounters implements RequestListener {
    private final Map<String, FunctionCounters> functions = new ConcurrentHashMap<>();
    private final long begin = System.nanoTime();

    private FunctionCounters of(String function) {
        FunctionCounters there = functions.get(function); // computeIfAbsent may lock
        return there != null ? there : functions.computeIfAbsent(function, name -> new FunctionCounters());
    }

    @Override
    public void queued(String function, long bytes, int depth) {
        of(function).queued(bytes);
    }

    @Override
    public void handled(String function, long waitedNanos, long ranNanos) {
        of(function).handled(waitedNanos, ranNanos);
    }

    @Override
    public void answered(String function, PsException.Code outcome, long bytes, long nanos) {
        of(function).answered(outcome, bytes, nanos);
    }

    /** Returns the time that this server has counted for. */
    long nanos() {
        return System.nanoTime() - begin;
    }

    /**
     * Returns the counts.
     *
     * @param server the rank of this server
     */
    List<CollectStatistics.OfFunction> functions(int server) {
        return new TreeMap<>(functions)
                .entrySet().stream()
                        .map(each -> each.getValue().statistics(server, each.getKey()))
                        .toList();
    }
}
