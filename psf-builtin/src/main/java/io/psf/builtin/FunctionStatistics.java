package io.psf.builtin;

import io.psf.builtin.internal.statistics.CollectStatistics.OfFunction;
import io.psf.builtin.internal.statistics.CollectStatistics.Outcome;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The requests of one function, on one server or on all. A request is what one call sends to one slice or server.
 *
 * @param function the function's name
 * @param outcomes the number of answers by outcome: the names of {@link io.psf.api.PsException.Code}, {@code OK} for
 *     success
 * @param bytesIn the bytes of the requests
 * @param bytesOut the bytes of the answers
 * @param waiting the times from the arrival of a request to the beginning of its handler
 * @param running the times that handlers took
 * @param answered the times from the arrival of a request to its answer, which a handler may defer
 */
public record FunctionStatistics(
        String function,
        SortedMap<String, Long> outcomes,
        long bytesIn,
        long bytesOut,
        Latency waiting,
        Latency running,
        Latency answered) {
    static FunctionStatistics of(OfFunction counted) {
        return new FunctionStatistics(
                counted.function(),
                counted.outcomes().stream()
                        .collect(Collectors.toMap(Outcome::code, Outcome::count, Long::sum, TreeMap::new)),
                counted.bytesIn(),
                counted.bytesOut(),
                new Latency(counted.waiting()),
                new Latency(counted.running()),
                new Latency(counted.answered()));
    }

    /** Returns the sum of these requests and of others. */
    FunctionStatistics plus(FunctionStatistics other) {
        SortedMap<String, Long> sum = new TreeMap<>(outcomes);
        other.outcomes.forEach((code, count) -> sum.merge(code, count, Long::sum));
        return new FunctionStatistics(
                function,
                sum,
                bytesIn + other.bytesIn,
                bytesOut + other.bytesOut,
                waiting.plus(other.waiting),
                running.plus(other.running),
                answered.plus(other.answered));
    }

    /** Returns the requests that were counted since an earlier time. */
    FunctionStatistics since(FunctionStatistics before) {
        SortedMap<String, Long> added = new TreeMap<>(outcomes);
        before.outcomes.forEach((code, count) -> added.computeIfPresent(code, (same, now) -> now - count));
        added.values().removeIf(count -> count == 0);
        return new FunctionStatistics(
                function,
                added,
                bytesIn - before.bytesIn,
                bytesOut - before.bytesOut,
                waiting.since(before.waiting),
                running.since(before.running),
                answered.since(before.answered));
    }

    /** Returns the number of answers, of all outcomes. */
    public long count() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }
}
