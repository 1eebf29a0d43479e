package io.psf.runtime.internal.server.handler;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** A function that no scheduler has a handler of. */
@PsFunction(value = "acme.absent", at = Place.SCHEDULER)
interface Absent {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node scheduler);
}
