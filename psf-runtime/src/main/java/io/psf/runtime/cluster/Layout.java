package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Finds where the slices of a tensor are. */
@PsFunction(value = "psf.tensor.layout", at = Place.SCHEDULER, readOnly = true)
public interface Layout {
    record Request(String name) {}

    /**
     * Its shape and placement.
     *
     * @param bounds [slices + 1], the first key of each slice, the number of rows last
     * @param servers [slices], the rank of each slice's server
     * @param lanes what the lanes of its slices are chosen by
     */
    record Response(long rows, int width, long[] bounds, int[] servers, long lanes) {}

    Response handle(Request request, Node scheduler);
}
