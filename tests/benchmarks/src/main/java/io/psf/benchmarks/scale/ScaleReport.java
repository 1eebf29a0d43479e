package io.psf.benchmarks.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The costs of clusters of several sizes, as a table. */
public final class ScaleReport {
    /** The numbers by which the largest cluster is divided. */
    private static final int[] PARTS = {10, 3, 1};

    private ScaleReport() {}

    /**
     * Measures a cluster, and smaller ones of the same shape.
     *
     * @return the lines of a table in Markdown
     */
    public static List<String> measure(ScaleRun largest) {
        List<Map<String, Cost>> costs = new ArrayList<>();
        StringBuilder head = new StringBuilder("| step | frames in | frames out | bytes out | bytes grow |");
        StringBuilder line = new StringBuilder("|---|---|---|---|---|");
        new ScaleRun(Math.max(1, largest.servers() / 10), Math.max(1, largest.workers() / 10), 10)
                .measure(); // until the code is compiled
        for (int part : PARTS) {
            ScaleRun run = new ScaleRun(
                    Math.max(1, largest.servers() / part),
                    Math.max(1, largest.workers() / part),
                    Math.max(2, largest.tensors() / part));
            head.append(" time, ")
                    .append(run.servers())
                    .append(" + ")
                    .append(run.workers())
                    .append(" |");
            line.append("---|");
            costs.add(run.measure());
        }
        head.append(" time grows |");
        line.append("---|");
        List<String> lines = new ArrayList<>(List.of(head.toString(), line.toString()));
        Map<String, Cost> first = costs.get(0);
        Map<String, Cost> last = costs.get(costs.size() - 1);
        last.forEach((step, cost) -> {
            StringBuilder row = new StringBuilder(String.format(
                    Locale.ROOT,
                    "| %s | %,d | %,d | %s | %s |",
                    step,
                    cost.framesIn(),
                    cost.framesOut(),
                    bytes(cost.bytesOut()),
                    factor(cost.bytesOut(), first.getOrDefault(step, Cost.NONE).bytesOut())));
            costs.forEach(each -> row.append(' ')
                    .append(millis(each.getOrDefault(step, Cost.NONE)))
                    .append(" |"));
            row.append(' ')
                    .append(factor(
                            cost.nanos(), first.getOrDefault(step, Cost.NONE).nanos()))
                    .append(" |");
            lines.add(row.toString());
        });
        return lines;
    }

    private static String bytes(long bytes) {
        return bytes < 100_000
                ? String.format(Locale.ROOT, "%,d", bytes)
                : String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }

    private static String factor(long last, long first) {
        return first == 0 ? "" : String.format(Locale.ROOT, "x %.1f", (double) last / first);
    }

    private static String millis(Cost cost) {
        return String.format(Locale.ROOT, "%,.1f ms", cost.nanos() / 1e6);
    }
}
