package io.psf.cli;

import io.psf.api.Member;
import io.psf.builtin.FunctionStatistics;
import io.psf.builtin.Latency;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.Guest;
import java.util.HexFormat;
import java.util.List;
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

    /** Returns this as one object of JSON, on one line. */
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
                text.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
