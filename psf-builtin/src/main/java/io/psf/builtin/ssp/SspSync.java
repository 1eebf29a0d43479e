package io.psf.builtin.ssp;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/**
 * Says that a worker has reached a clock, and is answered once the slowest of its group has reached that clock less the
 * group's staleness. A worker takes part under the rank that it comes with first, on the server that owns the group's key.
 * One that leaves or is lost is not waited for any more, and neither is a rank that no worker is left for.
 */
@PsFunction(value = "psf.ssp.sync", at = Place.SERVER)
public interface SspSync {
    /**
     * Who has come how far. A rank that another worker has, or a clock below the one that the rank has reached, fails with
     * {@code BAD_REQUEST}, as does a group that {@link SspInit} has not made.
     *
     * @param group the group's key
     * @param rank the worker's rank in the group, from 0
     * @param clock how many clocks it has finished: every rank begins at 0
     */
    record Request(@ByKey long group, int rank, long clock) {}

    /**
     * How far the others are.
     *
     * @param slowest the clock that all of the group have reached
     */
    record Response(long slowest) {}

    /** Answers when the slowest has come near enough. */
    default CompletionStage<Response> handle(Request request, Node server) {
        return SspGroups.of(server).sync(request, server);
    }
}
