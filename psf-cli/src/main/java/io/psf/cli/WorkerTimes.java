package io.psf.cli;

import io.psf.api.spi.NodeReport;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** What the workers of a job do with their time: their own work, and their waiting for functions. */
final class WorkerTimes {
    /** The share of the own work without a running thread from which on it is no work. */
    static final double IDLE = 0.5;

    /** The functions that keep a worker in the cluster. No thread of a program waits for them. */
    private static final List<String> MEMBERSHIP = List.of("psf.cluster.", "psf.connection.");

    private final SortedMap<Integer, NodeReport> workers;

    /** Creates the times of the workers that have reported. */
    WorkerTimes(SortedMap<Integer, NodeReport> workers) {
        this.workers = workers;
    }

    /** Returns the functions that the workers have called. */
    List<String> functions() {
        return workers.values().stream()
                .flatMap(each -> calls(each).stream())
                .map(NodeReport.Calls::function)
                .distinct()
                .toList();
    }

    /** True if each worker has called a function. */
    boolean allCall(String function) {
        return workers.values().stream()
                .allMatch(each -> each.calls().stream()
                        .anyMatch(calls -> calls.function().equals(function) && calls.calls() > 0));
    }

    private static List<NodeReport.Calls> calls(NodeReport worker) {
        return worker.calls().stream()
                .filter(each -> MEMBERSHIP.stream().noneMatch(each.function()::startsWith))
                .toList();
    }

    /** Returns the sum of the workers' calls of a function. */
    NodeReport.Calls sum(String function) {
        return workers.values().stream()
                .flatMap(each -> each.calls().stream())
                .filter(each -> each.function().equals(function))
                .reduce(
                        new NodeReport.Calls(function, 0, 0, 0, 0, 0),
                        (a, b) -> new NodeReport.Calls(
                                function,
                                a.calls() + b.calls(),
                                a.nanos() + b.nanos(),
                                a.sent() + b.sent(),
                                a.received() + b.received(),
                                a.awaitedNanos() + b.awaitedNanos()));
    }

    static long meanNanos(NodeReport.Calls calls) {
        return calls.calls() == 0 ? 0 : calls.nanos() / calls.calls();
    }

    /** Returns the share of its time that a worker waits for some functions, from 0 to 1. */
    private static double waits(NodeReport worker, Predicate<String> functions) {
        long awaited = calls(worker).stream()
                .filter(each -> functions.test(each.function()))
                .mapToLong(NodeReport.Calls::awaitedNanos)
                .sum();
        return worker.nanos() <= 0 ? 0 : Math.min(1, (double) awaited / worker.nanos());
    }

    /** Returns the share of the time that each worker waits for some functions, by rank. */
    SortedMap<Integer, Double> waits(Predicate<String> functions) {
        SortedMap<Integer, Double> shares = new TreeMap<>();
        workers.forEach((rank, report) -> shares.put(rank, waits(report, functions)));
        return shares;
    }

    /** Returns the share of the time of all workers that they wait for some functions. */
    double share(Predicate<String> functions) {
        return waits(functions).values().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
    }

    /** Returns the share of the time that all workers work themselves. */
    double own() {
        return 1 - share(function -> true);
    }

    /** Returns the share of the workers' own work in which no thread that makes calls runs. */
    double idle() {
        return workers.values().stream()
                .mapToDouble(each -> each.work().idleShare())
                .average()
                .orElse(0);
    }

    /** Returns the table without workers. */
    static Table emptyTable() {
        return new Table(
                Table.number("WORKER"),
                Table.number("OWN WORK"),
                Table.number("IDLE"),
                Table.number("WAITS"),
                Table.name("MOST FOR"),
                Table.number("PROCESSORS"),
                Table.number("HEAP COLLECTION"));
    }

    /** Returns a table of the workers: those that work the most first. */
    Table table() {
        Table table = emptyTable();
        SortedMap<Integer, Double> waits = waits(function -> true);
        waits.entrySet().stream().sorted(Map.Entry.comparingByValue()).forEach(each -> {
            NodeReport report = Objects.requireNonNull(workers.get(each.getKey()));
            table.add(
                    each.getKey(),
                    Units.share(1 - each.getValue()),
                    Units.share((1 - each.getValue()) * report.work().idleShare()),
                    Units.share(each.getValue()),
                    calls(report).stream()
                            .filter(call -> call.awaitedNanos() > 0)
                            .max(Comparator.comparingLong(NodeReport.Calls::awaitedNanos))
                            .map(NodeReport.Calls::function)
                            .orElse("-"),
                    Units.rate((double) report.cpuNanos() / Math.max(1, report.nanos())),
                    Units.share(NodeFindings.collected(report)));
        });
        return table;
    }
}
