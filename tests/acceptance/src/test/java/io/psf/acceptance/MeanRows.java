package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;

/** How many rows a server has, on average; the servers only know their own. */
@PsFunction(value = "acceptance.mean.rows", at = Place.SERVER, readOnly = true)
interface MeanRows {
    record Request(int times) {}

    record Response(
            @Reduce(SUM) long rows,
            @Reduce(SUM) int servers,
            @Reduce(SUM) double mean) {}

    default Response handle(Request request, Node server) {
        return new Response(
                server.shards().stream()
                        .mapToLong(shard -> shard.range().length())
                        .sum(),
                1,
                0);
    }

    static Response finish(Request request, Response merged) {
        return new Response(
                merged.rows(), merged.servers(), request.times() * (double) merged.rows() / merged.servers());
    }
}
