package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/**
 * Ends the session of the connection, with the answers that the server keeps in it. A worker's session ends when the
 * worker leaves the cluster; a client, which is no member, ends its sessions with this call.
 */
@PsFunction(value = "psf.connection.end", at = Place.SERVER)
public interface EndSession {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node server);
}
