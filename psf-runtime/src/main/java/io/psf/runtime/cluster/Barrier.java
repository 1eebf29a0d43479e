package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.concurrent.CompletionStage;

/** Blocks at the barrier. Answered once every present worker has called it. */
@PsFunction(value = "psf.barrier", at = Place.SCHEDULER)
public interface Barrier {
    record Request() {}

    record Response() {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}
