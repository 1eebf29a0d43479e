package io.psf.builtin.internal.ssp;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/**
 * Reports that a worker has reached a clock. Answered once the slowest worker of the group has reached that clock minus
 * the group's staleness. Runs on the server that owns the group's key. A worker keeps the rank of its first call. A
 * worker that has left or is lost is not waited for, and neither is a rank that no worker is left for.
 */
@PsFunction(value = "psf.ssp.sync", at = Place.SERVER)
public interface SspSync {
    /**
     * The clock of a worker. The call fails with {@code BAD_REQUEST} if another worker has the rank, if the clock is
     * below the clock that the rank has reached, or if {@link SspInit} has not created the group.
     *
     * @param group the group's key
     * @param rank the worker's rank in the group, from 0
     * @param clock the number of clocks that the worker has finished; every rank starts at 0
     */
    record Request(@ByKey long group, int rank, long clock) {}

    /**
     * The clock of the slowest worker.
     *
     * @param slowest the clock that all workers of the group have reached
     */
    record Response(long slowest) {}

    /** Answers once the slowest worker is within the staleness. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, Node server) {
        return SspGroups.of(server).sync(request);
    }
}
