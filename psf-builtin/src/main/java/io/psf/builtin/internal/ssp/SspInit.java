package io.psf.builtin.internal.ssp;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/**
 * Creates a group of workers whose clocks {@link SspSync} keeps within a bound of each other: stale synchronous
 * parallel (Ho et al., NIPS 2013). Runs on the server that owns the group's key, so that groups are distributed over
 * the servers.
 */
@PsFunction(value = "psf.ssp.init", at = Place.SERVER)
public interface SspInit {
    /**
     * The size of a group of all workers: it waits for the workers that are present when it is created, and for each
     * later worker from its join on.
     */
    int ALL = 0;

    /**
     * The group to create. Creating it again with the same arguments changes nothing. Another size or staleness fails
     * with {@code ALREADY_EXISTS}, an invalid one with {@code BAD_REQUEST}.
     *
     * @param group the group's key, any number
     * @param size the number of workers in the group, at least 1; {@link #ALL} for all workers of the cluster
     * @param staleness the number of clocks that a worker may be ahead of the slowest, at least 0
     */
    record Request(@ByKey long group, int size, int staleness) {}

    /**
     * The result.
     *
     * @param created true if the group was created by this call
     * @param clock the clock that the worker begins with, which is the clock of the slowest worker: 0 until every
     *     worker with which the group began has called
     */
    record Response(boolean created, long clock) {}

    /** Creates the group, with every rank at clock 0. The calling worker takes part in it. */
    default Response handle(Request request, Node server) {
        return SspGroups.of(server).create(request);
    }
}
