package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/** Runs on the server that owns a key of no tensor. */
@PsFunction(value = "vectors.owner", at = Place.SERVER)
interface VectorOwner {
    record Request(@ByKey long key, String text) {}

    record Response(long clock) {}

    Response handle(Request request, Node node);
}
