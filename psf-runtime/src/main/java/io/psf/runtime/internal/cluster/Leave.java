package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Leaves the cluster in order. */
@PsFunction(value = "psf.cluster.leave", at = Place.SCHEDULER)
public interface Leave {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node scheduler);
}
