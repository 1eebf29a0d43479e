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
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The requests that the servers have handled, by function, and what else the servers measure.
 *
 * @param time the time that all servers have counted for: from the first {@link #of} of any worker on, or {@link #since}
 *     an earlier one
 * @param servers the functions of each server in the order of their names, by the rank of the server
 * @param memory the memory of the tensors of each server, on the host, by the rank of the server
 * @param metrics the other numbers of each server, by the rank of the server
 * @param waiting the calls that wait on each server, by the rank of the server
 */
public record Statistics(
        Duration time,
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
                .forEach((server, functions) -> servers.put(
                        server, functions.stream().map(FunctionStatistics::of).toList()));
        SortedMap<Integer, MemoryUse> memory = new TreeMap<>();
        collected.memory().forEach(each -> memory.put(each.server(), new MemoryUse(each.bytes(), each.most())));
        SortedMap<Integer, List<Metric>> metrics = new TreeMap<>();
        SortedMap<Integer, List<Waiting>> waiting = new TreeMap<>();
        collected.servers().forEach(each -> {
            metrics.put(each.server(), each.metrics());
            waiting.put(each.server(), each.waiting());
        });
        return new Statistics(Duration.ofNanos(collected.nanos()), servers, memory, metrics, waiting);
    }

    /** Returns the functions in the order of their names, each summed over the servers. */
    public List<FunctionStatistics> functions() {
        return List.copyOf(servers.values().stream()
                .flatMap(List::stream)
                .collect(Collectors.toMap(
                        FunctionStatistics::function, Function.identity(), FunctionStatistics::plus, TreeMap::new))
                .values());
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

    /**
     * Returns the requests since an earlier time, with the times of these alone, such as to see what has become slow.
     * Memory, metrics and waiting calls are those of now. A server that has counted anew since then has all that it has
     * counted.
     *
     * @param before the statistics of the same cluster then
     */
    public Statistics since(Statistics before) {
        boolean isContinued = time.compareTo(before.time) >= 0;
        SortedMap<Integer, List<FunctionStatistics>> added = new TreeMap<>();
        servers.forEach((server, now) -> {
            Map<String, FunctionStatistics> then = before.servers.getOrDefault(server, List.of()).stream()
                    .collect(Collectors.toMap(FunctionStatistics::function, Function.identity()));
            boolean isSame = now.size() >= then.size() && now.stream().allMatch(each -> isLater(each, then));
            added.put(
                    server, isSame ? now.stream().map(each -> since(each, then)).toList() : now);
        });
        return new Statistics(isContinued ? time.minus(before.time) : time, added, memory, metrics, waiting);
    }

    private static boolean isLater(FunctionStatistics now, Map<String, FunctionStatistics> then) {
        FunctionStatistics before = then.get(now.function());
        return before == null || now.count() >= before.count();
    }

    private static FunctionStatistics since(FunctionStatistics now, Map<String, FunctionStatistics> then) {
        FunctionStatistics before = then.get(now.function());
        return before == null ? now : now.since(before);
    }
}
