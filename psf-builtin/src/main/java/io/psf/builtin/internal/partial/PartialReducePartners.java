package io.psf.builtin.internal.partial;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/**
 * Finds the partners of a partial reduce (Miao et al., "Heterogeneity-aware distributed machine learning training via
 * partial reduce", SIGMOD 2021): the workers that are ready at about the same time. Runs on the server that owns the
 * group's key, so that groups are distributed over the servers and do not delay the scheduler's heartbeats.
 *
 * <p>The first worker that calls opens the group and starts its timer. The group closes when the wanted number of
 * workers has called, or, with fewer workers, when the time is up. The next worker that calls opens a new group. A
 * worker that has left, is lost or has cancelled its call is not in the group.
 */
@PsFunction(value = "psf.preduce.partners", at = Place.SERVER)
public interface PartialReducePartners {
    /**
     * A worker that is ready. The call fails with {@code BAD_REQUEST} if the rank is in the open group already, or if
     * the group was opened with another number of wanted workers.
     *
     * @param group the group's key, any number
     * @param rank the worker's rank in the group, at least 0
     * @param wanted the number of workers at which the group closes at once, at least 1
     * @param maxWaitMillis the time in milliseconds after which the group closes with fewer workers, at least 0; the
     *     value of the worker that opens the group counts
     */
    record Request(@ByKey long group, int rank, int wanted, int maxWaitMillis) {}

    /**
     * The partners.
     *
     * @param number the group's number among the groups of the key; it identifies the partners' joint operations, such
     *     as {@link PartialReduceMean}
     * @param ranks [n] int32, the partners' ranks, ascending, the worker's own included; the same for all partners
     */
    record Response(long number, int[] ranks) {}

    /** Answers when the group closes. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, Node server) {
        return PartialGroups.of(server).come(request);
    }
}
