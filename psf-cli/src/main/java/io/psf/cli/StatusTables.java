package io.psf.cli;

import io.psf.api.Member;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.TensorSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as tables of at most {@link Table#TERMINAL} columns, for people: the nodes by role and rank, the largest tensors
 * first, the most frequent functions first.
 */
final class StatusTables {
    /** The functions by which a cluster is looked at: those of {@code psf status} itself. */
    private static final Set<String> INSPECTION = Set.of("psf.list", "psf.stats");

    /** The prefix of the functions of a new connection. Each visit makes one to each server. */
    private static final String CONNECTION = "psf.connection.";

    private final ClusterStatus now;
    private final @Nullable ClusterStatus before;

    /**
     * Creates the tables of a cluster.
     *
     * @param before the cluster at the last print, since which the rates are. Without it, or if the servers have counted
     *     anew since then, the rates are since they began to count.
     */
    StatusTables(ClusterStatus now, @Nullable ClusterStatus before) {
        this.now = now;
        boolean continued = before != null
                && now.statistics().time().compareTo(before.statistics().time()) > 0;
        this.before = continued ? before : null;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(nodes().lines(Table.TERMINAL));
        if (!now.tensors().isEmpty()) {
            lines.add("");
            lines.addAll(tensors().lines(Table.TERMINAL));
            if (now.tensors().stream().anyMatch(each -> each.tensor().grows())) {
                lines.add("+: rows of a table that grows");
            }
        }
        List<FunctionStatistics> functions = functions();
        if (!functions.isEmpty()) {
            lines.add("");
            lines.addAll(requests(functions).lines(Table.TERMINAL));
            lines.add("");
            lines.addAll(times(functions).lines(Table.TERMINAL));
        }
        lines.add("");
        lines.addAll(footer());
        return lines;
    }

    private Table nodes() {
        Table nodes = new Table(Table.text("NODE"), Table.number("RANK"), Table.name("ADDRESS"));
        now.members().stream()
                .sorted(Comparator.comparing(Member::role).thenComparing(Member::rank))
                .forEach(member -> nodes.add(
                        member.role().label(), member.rank(), member.host().isEmpty() ? "-" : member.address()));
        return nodes;
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
                        Units.count(each.rows()) + (each.tensor().grows() ? "+" : ""),
                        Units.count(each.tensor().width()),
                        each.slices() + " " + String.join(",", each.placements()),
                        Units.bytes(each.bytes().values()),
                        Units.bytes(each.bytes().slots()),
                        Units.bytes(each.bytes().index() + each.bytes().attachments()),
                        each.optimizer()));
        return tensors;
    }

    /** Returns the functions of the job: all except those of inspection and of connections. */
    private List<FunctionStatistics> functions() {
        return now.statistics().functions().stream()
                .filter(each -> !INSPECTION.contains(each.function())
                        && !each.function().startsWith(CONNECTION))
                .sorted(Comparator.comparingLong((FunctionStatistics each) -> -each.count())
                        .thenComparing(FunctionStatistics::function))
                .toList();
    }

    private Table requests(List<FunctionStatistics> functions) {
        Table table = new Table(
                Table.name("FUNCTION"),
                Table.number("REQUESTS"),
                Table.number("FAILED"),
                Table.number("REQUESTS/S"),
                Table.number("IN/S"),
                Table.number("OUT/S"));
        Map<String, FunctionStatistics> last = before == null
                ? Map.of()
                : before.statistics().functions().stream()
                        .collect(Collectors.toMap(FunctionStatistics::function, Function.identity()));
        for (FunctionStatistics each : functions) {
            FunctionStatistics then = last.get(each.function());
            table.add(
                    each.function(),
                    Units.count(each.count()),
                    Units.count(each.count() - each.outcomes().getOrDefault("OK", 0L)),
                    Units.rate(perSecond(each.count() - (then == null ? 0 : then.count()))),
                    Units.bytes(Math.round(perSecond(each.bytesIn() - (then == null ? 0 : then.bytesIn())))),
                    Units.bytes(Math.round(perSecond(each.bytesOut() - (then == null ? 0 : then.bytesOut())))));
        }
        return table;
    }

    private static Table times(List<FunctionStatistics> functions) {
        Table table = new Table(
                Table.name("FUNCTION"),
                Table.number("WAIT P50"),
                Table.number("WAIT P99"),
                Table.number("RUN P50"),
                Table.number("RUN P99"),
                Table.number("RUN MAX"));
        for (FunctionStatistics each : functions) {
            table.add(
                    each.function(),
                    Units.nanos(each.waiting().p50Nanos()),
                    Units.nanos(each.waiting().p99Nanos()),
                    Units.nanos(each.running().p50Nanos()),
                    Units.nanos(each.running().p99Nanos()),
                    Units.nanos(each.running().maxNanos()));
        }
        return table;
    }

    /** Returns the time that the rates are of. */
    private Duration time() {
        Duration counted = now.statistics().time();
        return before == null ? counted : counted.minus(before.statistics().time());
    }

    /** Returns a change in a second. */
    private double perSecond(long change) {
        double seconds = time().toNanos() / 1e9;
        return seconds <= 0 ? 0 : Math.max(0, change) / seconds;
    }

    private List<String> footer() {
        List<String> lines = new ArrayList<>();
        lines.add("counted for " + seconds(now.statistics().time()) + ", rates of the last " + seconds(time()));
        Map<String, Long> apart = new TreeMap<>();
        for (FunctionStatistics each : now.statistics().functions()) {
            if (INSPECTION.contains(each.function())) {
                apart.merge(each.function(), each.count(), Long::sum);
            } else if (each.function().startsWith(CONNECTION)) {
                apart.merge("connections", each.count(), Long::sum);
            }
        }
        if (!apart.isEmpty()) {
            lines.add(apart.entrySet().stream()
                    .map(each -> each.getKey() + " " + Units.count(each.getValue()))
                    .collect(Collectors.joining(", ", "apart, of psf status and the like: ", "")));
        }
        return lines;
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%,.1f s", time.toNanos() / 1e9);
    }
}
