package io.psf.cli;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.spi.MemoryUse;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Reports;
import io.psf.builtin.SavedStep;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.dashboard.ClusterStatus;
import io.psf.runtime.ClusterSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as tables of at most {@link Table#TERMINAL} columns, for people: the lost nodes first, then the present
 * nodes by role and rank; the largest tensors first; the most frequent functions first.
 */
final class StatusTables {
    /** The functions of {@code psf status} itself and of the dashboard, by which a cluster is looked at. */
    static final Set<String> INSPECTION =
            Set.of("psf.keys.hot", "psf.list", "psf.model.newest", "psf.report.collect", "psf.stats");

    /** The prefix of the functions of a new connection. Each visit makes one to each server. */
    private static final String CONNECTION = "psf.connection.";

    private final ClusterStatus now;
    /** The requests since the print before. */
    private final Statistics recent;

    private final int most;

    /**
     * Creates the tables of a cluster.
     *
     * @param before the cluster at the last print, since which the rates and times are. Without it they are since the
     *     servers began to count.
     * @param most the most rows of a table
     */
    StatusTables(ClusterStatus now, @Nullable ClusterStatus before, int most) {
        this.now = now;
        this.recent = before == null ? now.statistics() : now.statistics().since(before.statistics());
        this.most = most;
    }

    /**
     * Returns the lines.
     *
     * @param at the time now, to which the ages of checkpoints are
     */
    List<String> lines(Instant at) {
        List<String> lines = new ArrayList<>(header(at));
        lines.addAll(nodes().lines(Table.TERMINAL, most));
        if (!now.tensors().isEmpty()) {
            lines.add("");
            lines.addAll(tensors().lines(Table.TERMINAL, most));
        }
        List<FunctionStatistics> functions = functions();
        if (!functions.isEmpty()) {
            lines.add("");
            lines.addAll(requests(functions).lines(Table.TERMINAL, most));
            lines.add("counted for " + seconds(now.statistics().time()) + ", rates and times of the last "
                    + seconds(recent.time()));
        }
        return lines;
    }

    private List<String> header(Instant at) {
        ClusterSummary cluster = now.cluster();
        ClusterSummary.Plan plan = cluster.plan();
        int workers = cluster.present(Role.WORKER);
        String name = plan.name().isEmpty() ? "cluster" : Text.withoutEnd("cluster " + plan.name(), 30);
        String planned = plan.service() ? "" : " of " + Math.max(plan.workers(), workers);
        List<String> lines = new ArrayList<>();
        lines.add(name + ": " + (plan.service() ? "service" : "job") + ", " + cluster.present(Role.SERVER) + " of "
                + plan.servers() + " servers, " + workers + planned + " workers, for "
                + Units.age(cluster.age()));
        List<Integer> missing = cluster.missingServers();
        if (!missing.isEmpty()) {
            String ranks = missing.stream().map(String::valueOf).collect(Collectors.joining(", "));
            lines.add((missing.size() == 1 ? "server " : "servers ") + Text.withoutEnd(ranks, 24)
                    + (missing.size() == 1 ? " is" : " are") + " missing: the sums below are without the rows there");
        }
        if (!now.checkpoints().isEmpty()) {
            SavedStep newest = now.checkpoints().get(0);
            lines.add("newest checkpoint: step " + Units.count(newest.step()) + " of "
                    + Text.withoutMiddle(newest.model(), 30) + ", "
                    + Units.age(Duration.between(newest.saved(), at)) + " ago");
        }
        if (missing.isEmpty() && !now.reports().isEmpty()) {
            lines.add(Text.withoutEnd("reported: " + reported(), Table.TERMINAL));
        }
        return lines;
    }

    /** Returns the newest value of each tag, from the first worker with the highest step. */
    private String reported() {
        Map<String, Reports.Series> newest = new LinkedHashMap<>();
        now.reports().forEach(each -> newest.merge(each.tag(), each, (a, b) -> last(b) > last(a) ? b : a));
        return newest.values().stream()
                .map(each -> String.format(
                        Locale.ROOT,
                        "%s %.4g at step %,d",
                        Text.withoutMiddle(each.tag(), 30),
                        each.values()[each.values().length - 1],
                        last(each)))
                .collect(Collectors.joining(", "));
    }

    private static long last(Reports.Series series) {
        return series.steps()[series.steps().length - 1];
    }

    private Table nodes() {
        Table nodes = new Table(
                Table.text("NODE"),
                Table.number("RANK"),
                Table.name("ADDRESS"),
                Table.number("TENSORS"),
                Table.number("LIMIT"),
                Table.text("STATE"));
        for (ClusterSummary.LostNode lost : now.cluster().lost()) {
            addNode(nodes, lost.member(), (lost.awaited() ? "awaited: " : "lost: ") + lost.reason());
        }
        now.cluster().members().stream()
                .sorted(Comparator.comparing(Member::role).thenComparing(Member::rank))
                .forEach(member -> addNode(nodes, member, "present"));
        return nodes;
    }

    private void addNode(Table nodes, Member member, String state) {
        MemoryUse memory =
                member.role() == Role.SERVER ? now.statistics().memory().get(member.rank()) : null;
        nodes.add(
                member.role().label(),
                member.rank(),
                member.host().isEmpty() ? "-" : member.address(),
                memory == null ? "-" : Units.bytes(memory.bytes()),
                memory == null || memory.most() == Long.MAX_VALUE ? "-" : Units.bytes(memory.most()),
                state);
    }

    private Table tensors() {
        Table tensors = new Table(
                Table.name("TENSOR"),
                Table.number("ROWS"),
                Table.number("WIDTH"),
                Table.text("SLICES"),
                Table.number("VALUES"),
                Table.number("SLOTS"),
                Table.number("OTHER"),
                Table.text("OPTIMIZER"));
        now.tensors().stream()
                .sorted(Comparator.comparingLong(
                                (TensorSummary each) -> -each.bytes().total())
                        .thenComparing(each -> each.tensor().id().name()))
                .forEach(each -> tensors.add(
                        each.tensor().id(),
                        rows(each),
                        Units.count(each.tensor().width()),
                        each.slices() + " " + String.join(",", each.placements()),
                        Units.bytes(each.bytes().values()),
                        Units.bytes(each.bytes().slots()),
                        Units.bytes(each.bytes().index() + each.bytes().attachments()),
                        each.optimizer()));
        return tensors;
    }

    /** Returns the rows that the servers have, of how many if some are missing. */
    private static String rows(TensorSummary tensor) {
        String rows = Units.count(tensor.rows());
        if (tensor.tensor().grows()) {
            return rows + "+";
        }
        long all = tensor.tensor().rows();
        return tensor.rows() == all ? rows : rows + " of " + Units.count(all);
    }

    /** Returns the functions of the job: all except the functions of inspection and of connections. */
    private List<FunctionStatistics> functions() {
        return now.statistics().functions().stream()
                .filter(each -> !INSPECTION.contains(each.function())
                        && !each.function().startsWith(CONNECTION))
                .sorted(Comparator.comparingLong((FunctionStatistics each) -> -each.count())
                        .thenComparing(FunctionStatistics::function))
                .toList();
    }

    /** Returns the table of functions. Most clusters have no failed requests, and need no column for them. */
    private Table requests(List<FunctionStatistics> functions) {
        boolean hasFailed = functions.stream().anyMatch(each -> failed(each) > 0);
        Table table = new Table(Stream.of(
                        Table.name("FUNCTION"),
                        Table.number("REQUESTS"),
                        hasFailed ? Table.number("FAILED") : null,
                        Table.number("PER S"),
                        Table.number("BYTES/S"),
                        Table.number("WAIT P99"),
                        Table.number("RUN P50"),
                        Table.number("RUN P99"))
                .filter(each -> each != null)
                .toArray(Table.Column[]::new));
        Map<String, FunctionStatistics> last = recent.functions().stream()
                .collect(Collectors.toMap(FunctionStatistics::function, Function.identity()));
        for (FunctionStatistics each : functions) {
            FunctionStatistics then = Objects.requireNonNull(last.get(each.function()));
            List<Object> row = new ArrayList<>(List.of(each.function(), Units.count(each.count())));
            if (hasFailed) {
                row.add(Units.count(failed(each)));
            }
            row.add(Units.rate(perSecond(then.count())));
            row.add(Units.bytes(Math.round(perSecond(then.bytesIn() + then.bytesOut()))));
            row.add(time(then.waiting(), Latency::p99Nanos));
            row.add(time(then.running(), Latency::p50Nanos));
            row.add(time(then.running(), Latency::p99Nanos));
            table.add(row.toArray());
        }
        return table;
    }

    private static String time(Latency times, ToLongFunction<Latency> which) {
        return times.count() == 0 ? "-" : Units.nanos(which.applyAsLong(times));
    }

    private static long failed(FunctionStatistics function) {
        return function.count() - function.outcomes().getOrDefault("OK", 0L);
    }

    /** Returns a change in a second. */
    private double perSecond(long change) {
        double seconds = recent.time().toNanos() / 1e9;
        return seconds <= 0 ? 0 : Math.max(0, change) / seconds;
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%,.1f s", time.toNanos() / 1e9);
    }
}
