package io.psf.dashboard;

import io.psf.api.Member;
import io.psf.api.Waiting;
import io.psf.api.spi.MemoryUse;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Reports;
import io.psf.builtin.SavedStep;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.ClusterSummary;
import io.psf.runtime.Guest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The state of a cluster at one time.
 *
 * @param cluster the nodes
 * @param checkpoints the newest saved step of each model, the newest first
 * @param tensors what the servers that are present have of the tensors
 * @param statistics the requests that the servers have counted, and their memory
 * @param reports what the workers have reported, in the order of tags and ranks, some hundred points of each
 */
public record ClusterStatus(
        ClusterSummary cluster,
        List<SavedStep> checkpoints,
        List<TensorSummary> tensors,
        Statistics statistics,
        List<Reports.Series> reports) {
    /** The most points of a reported series. */
    static final int POINTS = 256;

    /** Asks the servers of a guest's visit. Blocks until they have answered. */
    public static ClusterStatus of(Guest guest) {
        ClusterSummary cluster = guest.cluster();
        return new ClusterStatus(
                cluster,
                ModelCheckpoints.newest(guest, cluster.models()),
                Tensors.list(guest),
                Statistics.of(guest),
                Reports.of(guest, POINTS));
    }

    /** Returns this as one object of JSON, on one line. */
    public String json() {
        return object(fields());
    }

    /** Returns an object of JSON. */
    static String object(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(each -> text(each.getKey()) + ":" + each.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Returns the fields of the object of JSON, each as JSON, in order. */
    Map<String, String> fields() {
        Map<String, String> fields = nodes(cluster);
        fields.put("checkpoints", array(checkpoints, ClusterStatus::json));
        fields.put("memory", array(statistics.memory().entrySet(), ClusterStatus::json));
        fields.put("tensors", array(tensors, ClusterStatus::json));
        fields.put("countedNanos", String.valueOf(statistics.time().toNanos()));
        fields.put("functions", functions(statistics));
        fields.put("load", array(statistics.servers().entrySet(), ClusterStatus::load));
        fields.put("slices", Slices.json(statistics));
        fields.put(
                "waiting",
                array(
                        statistics.waiting().entrySet().stream()
                                .flatMap(server -> server.getValue().stream().map(each -> json(server.getKey(), each)))
                                .toList(),
                        each -> each));
        fields.put("reports", array(reports, ClusterStatus::json));
        return fields;
    }

    /** Returns those of the fields that a scheduler alone knows. */
    static Map<String, String> nodes(ClusterSummary cluster) {
        ClusterSummary.Plan plan = cluster.plan();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(
                "cluster",
                "{\"name\":" + text(plan.name()) + ",\"service\":" + plan.service() + ",\"servers\":" + plan.servers()
                        + ",\"workers\":" + plan.workers() + ",\"ageMillis\":"
                        + cluster.age().toMillis() + "}");
        fields.put("members", array(cluster.members(), ClusterStatus::json));
        fields.put("lost", array(cluster.lost(), ClusterStatus::json));
        fields.put("events", array(cluster.events(), ClusterStatus::json));
        return fields;
    }

    /** Returns the functions of statistics as an array of JSON. */
    static String functions(Statistics statistics) {
        return array(statistics.functions(), ClusterStatus::json);
    }

    /** A value that is not finite is null. */
    private static String json(Reports.Series series) {
        return "{\"tag\":" + text(series.tag()) + ",\"worker\":" + series.worker() + ",\"steps\":"
                + Arrays.toString(series.steps()) + ",\"values\":"
                + array(
                        Arrays.stream(series.values()).boxed().toList(),
                        value -> Double.isFinite(value) ? value.toString() : "null")
                + "}";
    }

    private static String json(int server, Waiting calls) {
        return "{\"server\":" + server + ",\"function\":" + text(calls.function()) + ",\"tensor\":"
                + text(calls.tensor()) + ",\"calls\":" + calls.calls() + ",\"nanos\":" + calls.nanos() + ",\"workers\":"
                + calls.workers() + ",\"awaited\":" + calls.awaited() + ",\"reason\":" + text(calls.reason()) + "}";
    }

    private static String json(ClusterSummary.Event event) {
        return "{\"at\":" + event.at().toEpochMilli() + ",\"kind\":" + text(event.kind()) + ",\"text\":"
                + text(event.text()) + "}";
    }

    private static String load(Map.Entry<Integer, List<FunctionStatistics>> server) {
        return "{\"server\":" + server.getKey() + ",\"requests\":"
                + server.getValue().stream()
                        .mapToLong(FunctionStatistics::count)
                        .sum() + ",\"bytes\":"
                + server.getValue().stream()
                        .mapToLong(each -> each.bytesIn() + each.bytesOut())
                        .sum()
                + "}";
    }

    private static String json(ClusterSummary.LostNode lost) {
        return "{\"role\":" + text(lost.member().role().label()) + ",\"rank\":"
                + lost.member().rank() + ",\"awaited\":" + lost.awaited() + ",\"reason\":" + text(lost.reason()) + "}";
    }

    private static String json(SavedStep step) {
        return "{\"model\":" + text(step.model()) + ",\"step\":" + step.step() + ",\"saved\":"
                + text(step.saved().toString()) + "}";
    }

    private static String json(Map.Entry<Integer, MemoryUse> server) {
        return "{\"server\":" + server.getKey() + ",\"bytes\":"
                + server.getValue().bytes() + ",\"most\":" + server.getValue().most() + "}";
    }

    private static String json(Member member) {
        return "{\"role\":" + text(member.role().label()) + ",\"rank\":" + member.rank() + ",\"host\":"
                + text(member.host()) + ",\"port\":" + member.port() + "}";
    }

    private static String json(TensorSummary tensor) {
        return "{\"name\":" + text(tensor.tensor().id().name()) + ",\"rows\":" + tensor.rows() + ",\"allRows\":"
                + (tensor.tensor().grows() ? "null" : tensor.tensor().rows()) + ",\"width\":"
                + tensor.tensor().width() + ",\"grows\":" + tensor.tensor().grows() + ",\"optimizer\":"
                + text(tensor.optimizer()) + ",\"declaration\":" + text(tensor.declaration()) + ",\"parts\":"
                + array(tensor.parts(), ClusterStatus::json) + "}";
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

    static <T> String array(Collection<T> elements, Function<T, String> json) {
        return elements.stream().map(json).collect(Collectors.joining(",", "[", "]"));
    }

    static String text(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
