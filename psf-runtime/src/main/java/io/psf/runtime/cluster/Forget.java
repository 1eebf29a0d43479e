package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Frees a tensor's name for another declaration. */
@PsFunction(value = "psf.tensor.forget", at = Place.SCHEDULER)
public interface Forget {
    record Request(String name) {}

    record Response(boolean known) {}

    Response handle(Request request, Node scheduler);
}
