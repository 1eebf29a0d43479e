package io.psf.builtin;

import io.psf.builtin.internal.statistics.CollectStatistics;
import io.psf.builtin.internal.statistics.Times;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

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
    /** Returns the sum over servers. */
    static FunctionStatistics of(String function, List<CollectStatistics.OfFunction> servers) {
        SortedMap<String, Long> outcomes = new TreeMap<>();
        for (CollectStatistics.OfFunction server : servers) {
            server.outcomes().forEach(outcome -> outcomes.merge(outcome.code(), outcome.count(), Long::sum));
        }
        return new FunctionStatistics(
                function,
                outcomes,
                servers.stream()
                        .mapToLong(CollectStatistics.OfFunction::bytesIn)
                        .sum(),
                servers.stream()
                        .mapToLong(CollectStatistics.OfFunction::bytesOut)
                        .sum(),
                latency(servers, CollectStatistics.OfFunction::waiting),
                latency(servers, CollectStatistics.OfFunction::running),
                latency(servers, CollectStatistics.OfFunction::answered));
    }

    private static Latency latency(
            List<CollectStatistics.OfFunction> servers, Function<CollectStatistics.OfFunction, Times> which) {
        return Latency.of(servers.stream().map(which).reduce(Times.none(), Times::plus));
    }

    /** Returns the number of answers, of all outcomes. */
    public long count() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }
}
