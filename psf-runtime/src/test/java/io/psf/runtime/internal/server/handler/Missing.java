package io.psf.runtime.internal.server.handler;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;

/** A function that no server has a handler of. */
@PsFunction(value = "acme.missing", at = Place.SERVER)
interface Missing {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node server);

    static Response merge(List<Response> servers) {
        return servers.get(0);
    }
}
