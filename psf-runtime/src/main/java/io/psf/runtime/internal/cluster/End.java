package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Ends the job or the service. Answered at once; every node learns of the end from its next heartbeat. */
@PsFunction(value = "psf.cluster.end", at = Place.SCHEDULER)
public interface End {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node scheduler);
}
