package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Returns the placement of a tensor's slices. */
@PsFunction(value = "psf.tensor.layout", at = Place.SCHEDULER, readOnly = true)
public interface Layout {
    record Request(String name) {}

    /**
     * The tensor's shape and placement.
     *
     * @param bounds [slices + 1] int64, the first key of each slice, and the number of rows as the last element
     * @param servers [slices] int32, the rank of each slice's server
     * @param lanes the number from which the lanes of the slices are derived
     */
    record Response(Declare.Shape shape, long[] bounds, int[] servers, long lanes) {}

    Response handle(Request request, Node scheduler);
}
