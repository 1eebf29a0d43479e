package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatTypes;

/** Registers a tensor and places its slices. The same declaration again returns the existing placement. */
@PsFunction(value = "psf.tensor.declare", at = Place.SCHEDULER)
public interface Declare {
    /**
     * A tensor.
     *
     * @param slices the number of slices; 0 for one per server; -1 for pieces that fit in a core's cache
     * @param beside the tensor whose slices, servers and lanes it shares; empty for its own
     * @param declaration everything else that two declarations must agree on, as text
     */
    record Request(String name, Shape shape, int slices, String beside, String declaration) {}

    /**
     * The shape of a tensor.
     *
     * @param types the number formats of its values
     */
    record Shape(long rows, int width, FloatTypes types) {
        static Shape of(TensorInfo info) {
            return new Shape(info.rows(), info.width(), info.types());
        }

        TensorInfo info(TensorId id) {
            return new TensorInfo(id, rows, width, types);
        }
    }

    /**
     * The tensor's placement.
     *
     * @param bounds [slices + 1] int64, the first key of each slice, and the number of rows as the last element
     * @param servers [slices] int32, the rank of each slice's server
     * @param lanes the number from which the lanes of the slices are derived
     */
    record Response(long[] bounds, int[] servers, long lanes) {}

    Response handle(Request request, Node scheduler);
}
