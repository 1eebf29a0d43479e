package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Never answers. */
@PsFunction(value = "acceptance.await-node", at = Place.SERVER)
interface AwaitNode {
    record Request() {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, Node node) {
        return new CompletableFuture<>();
    }
}
