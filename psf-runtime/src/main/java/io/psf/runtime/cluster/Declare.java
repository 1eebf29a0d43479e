package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Makes a tensor known and places its slices; the same declaration again finds them as they are. */
@PsFunction(value = "psf.tensor.declare", at = Place.SCHEDULER)
public interface Declare {
    /**
     * A tensor.
     *
     * @param slices how many slices; 0 for one a server
     * @param beside the tensor whose slices, servers and lanes it shares; empty for its own
     * @param declaration everything else that two declarations must agree on, as text
     */
    record Request(String name, long rows, int width, int slices, String beside, String declaration) {}

    /**
     * Its placement.
     *
     * @param bounds [slices + 1], the first key of each slice, the number of rows last
     * @param servers [slices], the rank of each slice's server
     * @param lanes what the lanes of its slices are chosen by
     */
    record Response(long[] bounds, int[] servers, long lanes) {}

    Response handle(Request request, Node scheduler);
}
