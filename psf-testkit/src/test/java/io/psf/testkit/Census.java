package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;

/** Counts rows on every server. */
@PsFunction(value = "test.census", at = Place.SERVER, readOnly = true)
interface Census {
    record Request() {}

    record Response(@Reduce(SUM) long rows) {}

    default Response handle(Request request, Node node) {
        return new Response(node.shards().stream()
                .mapToLong(shard -> shard.range().length())
                .sum());
    }
}
