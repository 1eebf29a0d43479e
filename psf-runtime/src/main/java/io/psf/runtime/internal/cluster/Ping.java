package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** A liveness check. A server that answers still holds the changes that it has acknowledged. */
@PsFunction(value = "psf.connection.present", at = Place.SERVER, readOnly = true)
public interface Ping {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node server);
}
