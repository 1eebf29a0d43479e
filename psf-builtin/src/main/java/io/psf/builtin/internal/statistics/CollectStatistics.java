package io.psf.builtin.internal.statistics;

import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Waiting;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.MemoryUse;
import io.psf.api.spi.StoredNode;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Collects the statistics of the functions on every server. A server counts from the first such call on: without one,
 * it has no listener and counts nothing.
 */
@PsFunction(value = "psf.stats", at = Place.SERVER, readOnly = true)
public interface CollectStatistics {
    /** All functions. */
    record Request() {}

    /**
     * The statistics.
     *
     * @param nanos the time that the servers have counted for; of several servers the shortest
     * @param functions the functions of each server that requests have named
     * @param memory the memory of each server
     * @param servers the other numbers of each server
     */
    record Response(
            @Reduce(MIN) long nanos, List<OfFunction> functions, List<OfMemory> memory, List<OfServer> servers) {}

    /**
     * The numbers of a server, and its calls that wait.
     *
     * @param server the rank of the server
     */
    record OfServer(int server, List<Metric> metrics, List<Waiting> waiting) {}

    /**
     * The memory that the tensors of a server have, on the host.
     *
     * @param server the rank of the server
     * @param bytes the bytes that are allocated
     * @param most the most bytes that they may have; {@link Long#MAX_VALUE} if there is no limit
     */
    record OfMemory(int server, long bytes, long most) {}

    /**
     * The statistics of a function on a server.
     *
     * @param server the rank of the server
     * @param function the function's name
     * @param outcomes the numbers of answers by outcome, without zeros
     * @param bytesIn the bytes of the requests
     * @param bytesOut the bytes of the answers
     * @param waiting the times from the arrival of a request to the beginning of its handler
     * @param running the times that handlers took
     * @param answered the times from the arrival of a request to its answer
     */
    record OfFunction(
            int server,
            String function,
            List<Outcome> outcomes,
            long bytesIn,
            long bytesOut,
            Times waiting,
            Times running,
            Times answered) {}

    /**
     * The number of answers with an outcome.
     *
     * @param code the name of the outcome, a constant of {@link io.psf.api.PsException.Code}
     * @param count the number of answers
     */
    record Outcome(String code, long count) {}

    /** Returns this server's statistics. The first call begins to count. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        ServerCounters counters = node.listener(ServerCounters.class, ServerCounters::new);
        long nanos = counters.nanos();
        List<OfFunction> functions = counters.functions(node.rank()); // without this call
        return node.numbers().thenApply(measured -> {
            Metrics metrics = new Metrics();
            metrics.addAll(measured.metrics());
            counters.measure(metrics);
            MemoryUse memory = node.tensorMemory();
            return new Response(
                    nanos,
                    functions,
                    List.of(new OfMemory(node.rank(), memory.bytes(), memory.most())),
                    List.of(new OfServer(node.rank(), metrics.all(), measured.waiting())));
        });
    }
}
