package io.psf.acceptance;

import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;

/** Counts the requests that each server handles. */
@PsFunction(value = "acceptance.count.requests", at = Place.SERVER)
interface CountRequests {
    record Request() {}

    record Response(@Reduce(MIN) int least, @Reduce(MAX) int most) {}

    final class Count {
        private int requests;
    }

    default Response handle(Request request, Node server) {
        Count count = server.attachment("acceptance.count.requests", Count.class, Count::new);
        count.requests++;
        return new Response(count.requests, count.requests);
    }
}
