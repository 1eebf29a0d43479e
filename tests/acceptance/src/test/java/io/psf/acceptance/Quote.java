package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Fails with what its caller wrote, as a handler does that names what it was given. */
@PsFunction(value = "acceptance.quote", at = Place.SERVER)
interface Quote {
    record Request(@ByKey long server, String text, boolean later) {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, Node server) {
        IllegalStateException failure =
                new IllegalStateException("given: " + request.text(), new IllegalArgumentException(request.text()));
        failure.addSuppressed(new UnsupportedOperationException(request.text()));
        if (request.later()) {
            return CompletableFuture.failedFuture(failure);
        }
        throw failure;
    }
}
