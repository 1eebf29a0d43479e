package io.psf.cli;

import io.psf.api.Member;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.Guest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The state of a cluster at one time.
 *
 * @param members every node except the scheduler
 * @param tensors the tensors of the servers
 * @param statistics the requests that the servers have counted
 */
record ClusterStatus(List<Member> members, List<TensorSummary> tensors, Statistics statistics) {
    static ClusterStatus of(Guest guest) {
        return new ClusterStatus(guest.members(), Tensors.list(guest), Statistics.of(guest));
    }

    /** Returns three tables, for people. */
    List<String> tables() {
        Table nodes = new Table("NODE", "RANK", "ADDRESS");
        for (Member member : members) {
            nodes.add(
                    member.role().label(),
                    member.rank(),
                    member.host().isEmpty() ? "-" : member.host() + ":" + member.port());
        }
        Table held = new Table(
                "TENSOR", "SHAPE", "SLICES", "PLACEMENT", "ROWS", "VALUES", "SLOTS", "INDEX", "OTHER", "OPTIMIZER");
        for (TensorSummary each : tensors) {
            held.add(
                    each.tensor().id(),
                    each.tensor().shape(),
                    each.slices(),
                    String.join(",", each.placements()),
                    each.rows(),
                    bytes(each.bytes().values()),
                    bytes(each.bytes().slots()),
                    bytes(each.bytes().index()),
                    bytes(each.bytes().attachments()),
                    each.optimizer());
        }
        Table functions = new Table(
                "FUNCTION", "ANSWERS", "FAILED", "IN", "OUT", "WAIT P50", "WAIT P99", "RUN P50", "RUN P99", "RUN MAX");
        for (FunctionStatistics each : statistics.functions()) {
            functions.add(
                    each.function(),
                    each.count(),
                    each.count() - each.outcomes().getOrDefault("OK", 0L),
                    bytes(each.bytesIn()),
                    bytes(each.bytesOut()),
                    micros(each.waiting().p50Nanos()),
                    micros(each.waiting().p99Nanos()),
                    micros(each.running().p50Nanos()),
                    micros(each.running().p99Nanos()),
                    micros(each.running().maxNanos()));
        }
        List<String> lines = new ArrayList<>(nodes.lines());
        lines.add("");
        lines.addAll(held.lines());
        lines.add("");
        lines.addAll(functions.lines());
        lines.add("functions are counted since " + statistics.time().toSeconds() + " s");
        return lines;
    }

    private static String bytes(long n) {
        if (n < 1024) {
            return n + " B";
        }
        double left = n / 1024.0;
        int unit = 0;
        while (left >= 1024 && unit < 4) {
            left /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %ciB", left, "KMGTP".charAt(unit));
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }

    /** Returns the same as one object of JSON, on one line. */
    String json() {
        return "{\"members\":" + array(members.stream().map(ClusterStatus::json).toList()) + ",\"tensors\":"
                + array(tensors.stream().map(ClusterStatus::json).toList()) + ",\"countedNanos\":"
                + statistics.time().toNanos() + ",\"functions\":"
                + array(statistics.functions().stream().map(ClusterStatus::json).toList()) + "}";
    }

    private static String json(Member member) {
        return "{\"role\":" + text(member.role().label()) + ",\"rank\":" + member.rank() + ",\"host\":"
                + text(member.host()) + ",\"port\":" + member.port() + "}";
    }

    private static String json(TensorSummary tensor) {
        return "{\"name\":" + text(tensor.tensor().id().name()) + ",\"rows\":" + tensor.rows() + ",\"width\":"
                + tensor.tensor().width() + ",\"grows\":" + tensor.tensor().grows() + ",\"optimizer\":"
                + text(tensor.optimizer()) + ",\"declaration\":" + text(tensor.declaration()) + ",\"parts\":"
                + array(tensor.parts().stream().map(ClusterStatus::json).toList()) + "}";
    }

    private static String json(TensorSummary.Part part) {
        return "{\"server\":" + part.server() + ",\"placement\":" + text(part.placement()) + ",\"slices\":"
                + part.slices() + ",\"rows\":" + part.rows() + ",\"valueBytes\":"
                + part.bytes().values() + ",\"slotBytes\":" + part.bytes().slots() + ",\"indexBytes\":"
                + part.bytes().index() + ",\"attachmentBytes\":" + part.bytes().attachments() + "}";
    }

    private static String json(FunctionStatistics function) {
        String outcomes = function.outcomes().entrySet().stream()
                .map(each -> text(each.getKey()) + ":" + each.getValue())
                .collect(Collectors.joining(",", "{", "}"));
        return "{\"function\":" + text(function.function()) + ",\"outcomes\":" + outcomes + ",\"bytesIn\":"
                + function.bytesIn() + ",\"bytesOut\":" + function.bytesOut() + ",\"waiting\":"
                + json(function.waiting()) + ",\"running\":" + json(function.running()) + ",\"answered\":"
                + json(function.answered()) + "}";
    }

    private static String json(Latency latency) {
        return "{\"count\":" + latency.count() + ",\"meanNanos\":" + latency.meanNanos() + ",\"p50Nanos\":"
                + latency.p50Nanos() + ",\"p99Nanos\":" + latency.p99Nanos() + ",\"maxNanos\":" + latency.maxNanos()
                + "}";
    }

    private static String array(List<String> elements) {
        return "[" + String.join(",", elements) + "]";
    }

    private static String text(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
