package io.psf.builtin.ssp;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/**
 * Makes a group of workers that {@link SspSync} keeps within a bound of each other: stale synchronous parallel (Ho et al.,
 * NIPS 2013). On the server that owns the group's key, so that many groups spread over the servers.
 */
@PsFunction(value = "psf.ssp.init", at = Place.SERVER)
public interface SspInit {
    /**
     * Which group. The same again changes nothing; another size or staleness fails with {@code ALREADY_EXISTS}.
     *
     * @param group the group's key, any number
     * @param size how many workers take part, at least 1
     * @param staleness how many clocks a worker may be ahead of the slowest, at least 0
     */
    record Request(@ByKey long group, int size, int staleness) {}

    /**
     * What has been made.
     *
     * @param created whether the group is new
     */
    record Response(boolean created) {}

    /** Makes the group, with every rank at clock 0. */
    default Response handle(Request request, Node server) {
        return new Response(SspGroups.of(server).create(request));
    }
}
