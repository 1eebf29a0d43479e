package io.psf.cli;

import io.psf.api.Role;
import io.psf.api.Waiting;
import io.psf.api.spi.NodeReport;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.ClusterSummary;
import io.psf.runtime.Guest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the nodes of a job did in a time: the numbers that {@link Explanation} reads.
 *
 * @param cluster the nodes, at the end of the time
 * @param tensors the tensors
 * @param time the time that the servers have counted for
 * @param loads the functions that the servers ran, by the rank of the server
 * @param workers the reports of the workers that report, by rank
 * @param servers the reports of the servers
 * @param busy the seconds that the handlers of each slice took
 * @param full the seconds in which each server read no long request, since its memory was full
 * @param waiting the calls that wait at the end of the time, whose handlers answer later
 */
record JobSample(
        ClusterSummary cluster,
        List<TensorSummary> tensors,
        Duration time,
        SortedMap<Integer, List<Load>> loads,
        SortedMap<Integer, NodeReport> workers,
        SortedMap<Integer, NodeReport> servers,
        Map<Slice, Double> busy,
        Map<Integer, Double> full,
        List<Waiting> waiting) {
    /** The number of a slice, and its tensor. */
    record Slice(String tensor, int slice) {}

    /**
     * The requests of a function on a server.
     *
     * @param requests the number of requests that were answered
     * @param waitedNanos the sum of the times before their handlers began
     * @param ranNanos the sum of the times that their handlers took
     * @param answeredNanos the sum of the times until their answers
     * @param bytesIn the bytes of the requests
     * @param bytesOut the bytes of the answers
     */
    record Load(
            String function,
            long requests,
            long waitedNanos,
            long ranNanos,
            long answeredNanos,
            long bytesIn,
            long bytesOut) {
        private static Load of(FunctionStatistics now) {
            return new Load(
                    now.function(),
                    now.count(),
                    sum(now.waiting()),
                    sum(now.running()),
                    sum(now.answered()),
                    now.bytesIn(),
                    now.bytesOut());
        }

        private Load plus(Load other) {
            return new Load(
                    function,
                    requests + other.requests,
                    waitedNanos + other.waitedNanos,
                    ranNanos + other.ranNanos,
                    answeredNanos + other.answeredNanos,
                    bytesIn + other.bytesIn,
                    bytesOut + other.bytesOut);
        }

        private static long sum(Latency times) {
            return times.count() * times.meanNanos();
        }

        private Load since(Load before) {
            return new Load(
                    function,
                    requests - before.requests,
                    Math.max(0, waitedNanos - before.waitedNanos),
                    Math.max(0, ranNanos - before.ranNanos),
                    Math.max(0, answeredNanos - before.answeredNanos),
                    bytesIn - before.bytesIn,
                    bytesOut - before.bytesOut);
        }
    }

    /** What a visit finds: sums since the nodes began to count. */
    static JobSample of(Guest guest) {
        Statistics statistics = Statistics.of(guest);
        SortedMap<Integer, List<Load>> loads = new TreeMap<>();
        statistics
                .servers()
                .forEach((server, functions) -> loads.put(
                        server,
                        functions.stream()
                                .filter(each -> !StatusTables.INSPECTION.contains(each.function()))
                                .map(Load::of)
                                .toList()));
        return new JobSample(
                guest.cluster(),
                Tensors.list(guest),
                statistics.time(),
                loads,
                guest.reports(Role.WORKER),
                guest.reports(Role.SERVER),
                busy(statistics),
                full(statistics),
                statistics.waiting().values().stream().flatMap(List::stream).toList());
    }

    private static Map<Integer, Double> full(Statistics statistics) {
        Map<Integer, Double> full = new HashMap<>();
        statistics
                .metrics()
                .forEach((server, metrics) -> metrics.stream()
                        .filter(each -> each.name().equals("psf.memory.full"))
                        .forEach(each -> full.put(server, each.value())));
        return full;
    }

    private static Map<Slice, Double> busy(Statistics statistics) {
        Map<Slice, Double> busy = new HashMap<>();
        statistics.total().stream()
                .filter(each -> each.name().equals("psf.slice.busy"))
                .flatMap(each -> each.samples().stream())
                .forEach(each -> busy.put(
                        new Slice(
                                Objects.requireNonNull(each.labels().get("tensor")),
                                Integer.parseInt(each.labels().get("slice"))),
                        each.value()));
        return busy;
    }

    /** Returns the functions that servers ran, summed over the servers, by name. */
    SortedMap<String, Load> functions() {
        SortedMap<String, Load> functions = new TreeMap<>();
        loads.values().forEach(each -> each.forEach(load -> functions.merge(load.function, load, Load::plus)));
        return functions;
    }

    /** Returns what was added since an earlier visit. */
    JobSample since(JobSample before) {
        boolean isContinued = time.compareTo(before.time) >= 0;
        SortedMap<Integer, List<Load>> added = new TreeMap<>();
        loads.forEach((server, functions) -> added.put(
                server, isContinued ? since(functions, before.loads.getOrDefault(server, List.of())) : functions));
        return new JobSample(
                cluster,
                tensors,
                isContinued ? time.minus(before.time) : time,
                added,
                since(workers, before.workers),
                since(servers, before.servers),
                isContinued ? since(busy, before.busy) : busy,
                isContinued ? since(full, before.full) : full,
                waiting);
    }

    private static <K> Map<K, Double> since(Map<K, Double> now, Map<K, Double> before) {
        Map<K, Double> added = new HashMap<>();
        now.forEach((key, seconds) -> added.put(key, Math.max(0, seconds - before.getOrDefault(key, 0.0))));
        return added;
    }

    private static List<Load> since(List<Load> now, List<Load> before) {
        List<Load> added = new ArrayList<>();
        for (Load each : now) {
            added.add(before.stream()
                    .filter(then -> then.function.equals(each.function))
                    .findFirst()
                    .map(each::since)
                    .orElse(each));
        }
        return added;
    }

    private static SortedMap<Integer, NodeReport> since(
            SortedMap<Integer, NodeReport> now, SortedMap<Integer, NodeReport> before) {
        SortedMap<Integer, NodeReport> added = new TreeMap<>();
        now.forEach(
                (rank, report) -> added.put(rank, before.containsKey(rank) ? report.since(before.get(rank)) : report));
        return added;
    }
}
