package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.Waiting;
import io.psf.api.spi.MemoryUse;
import io.psf.builtin.internal.statistics.CollectStatistics;
import io.psf.builtin.internal.statistics.CollectStatistics.OfFunction;
import io.psf.builtin.internal.statistics.CollectStatisticsPsf;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The requests that the servers have handled, by function, and what else the servers measure.
 *
 * @param time the time that all servers have counted for: from the first {@link #of} of any worker on
 * @param functions the functions in the order of their names, each summed over the servers
 * @param servers the functions of each server, by the rank of the server
 * @param memory the memory of the tensors of each server, on the host, by the rank of the server
 * @param metrics the other numbers of each server, by the rank of the server
 * @param waiting the calls that wait on each server, by the rank of the server
 */
public record Statistics(
        Duration time,
        List<FunctionStatistics> functions,
        SortedMap<Integer, List<FunctionStatistics>> servers,
        SortedMap<Integer, MemoryUse> memory,
        SortedMap<Integer, List<Metric>> metrics,
        SortedMap<Integer, List<Waiting>> waiting) {
    /**
     * Asks the servers. Blocks until they have answered. The first call in a cluster makes the servers begin to count,
     * and returns no functions; from then on, they count each request until they end.
     */
    public static Statistics of(Caller worker) {
        CollectStatistics.Response collected =
                CollectStatisticsPsf.stub(worker).call().await();
        SortedMap<Integer, List<FunctionStatistics>> servers = new TreeMap<>();
        collected.functions().stream()
                .collect(Collectors.groupingBy(OfFunction::server))
                .forEach((server, functions) -> servers.put(server, byName(functions)));
        SortedMap<Integer, MemoryUse> memory = new TreeMap<>();
        collected.memory().forEach(each -> memory.put(each.server(), new MemoryUse(each.bytes(), each.most())));
        SortedMap<Integer, List<Metric>> metrics = new TreeMap<>();
        SortedMap<Integer, List<Waiting>> waiting = new TreeMap<>();
        collected.servers().forEach(each -> {
            metrics.put(each.server(), each.metrics());
            waiting.put(each.server(), each.waiting());
        });
        return new Statistics(
                Duration.ofNanos(collected.nanos()), byName(collected.functions()), servers, memory, metrics, waiting);
    }

    /** Returns the numbers of all servers, combined. */
    public List<Metric> total() {
        Metrics total = new Metrics();
        metrics.values().forEach(total::addAll);
        return total.all();
    }

    /** Returns a number of all servers by its name, summed over its labels. It is 0 if no server has it. */
    public double total(String name) {
        return total().stream()
                .filter(each -> each.name().equals(name))
                .mapToDouble(Metric::value)
                .sum();
    }

    private static List<FunctionStatistics> byName(Collection<OfFunction> functions) {
        return functions.stream()
                .collect(Collectors.groupingBy(OfFunction::function, TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(each -> FunctionStatistics.of(each.getKey(), each.getValue()))
                .toList();
    }
}
