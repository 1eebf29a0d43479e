package io.psf.builtin.partial;

import io.psf.builtin.push.Workers;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/**
 * Finds the partners of a partial reduce (Miao et al., "Heterogeneity-aware distributed machine learning training via
 * partial reduce", SIGMOD 2021): whoever is ready at about the same time. On the server that owns the group's key, so that
 * many groups spread over the servers, and none of them keeps the scheduler from its heartbeats.
 *
 * <p>The first worker that comes opens the group and its time starts; the group closes when as many as wanted have come,
 * or when the time is up, with those that have. The next one to come opens it anew. Workers that have left, are lost or
 * have given their call up are not in it.
 */
@PsFunction(value = "psf.preduce.partners", at = Place.SERVER)
public interface PartialReducePartners {
    /**
     * Who is ready. A rank that is in the open group already, or another number of wanted workers than it was opened with,
     * fails with {@code BAD_REQUEST}.
     *
     * @param group the group's key, any number
     * @param rank the worker's rank in the group, at least 0
     * @param wanted how many workers close the group at once, at least 1
     * @param maxWaitMillis milliseconds until the group closes with fewer, at least 0; that of the worker which opens it
     *     counts
     */
    record Request(@ByKey long group, int rank, int wanted, int maxWaitMillis) {}

    /**
     * The partners.
     *
     * @param number which of the key's groups it is: names what they do together, as {@link PartialReduceMean} does
     * @param ranks [n], ascending, the worker's own among them; the same for all of them
     */
    record Response(long number, int[] ranks) {}

    /** Answers when the group closes. */
    default CompletionStage<Response> handle(Request request, Node server) {
        return PartialGroups.of(server).come(request, server);
    }
}
