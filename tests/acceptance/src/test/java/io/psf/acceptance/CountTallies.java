package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/** On every server: adds to a key on the server that owns it, and counts what its shards of a tensor return. */
@PsFunction(value = "acceptance.count.tallies", at = Place.SERVER)
interface CountTallies {
    record Request(long key, TensorId tensor) {}

    record Response(@Reduce(SUM) int servers, @Reduce(SUM) int shards) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        return TallyPsf.stub(server.caller())
                .call(request.key(), 1)
                .toCompletableFuture()
                .thenCombine(
                        server.onShards(request.tensor(), shard -> Integer.signum(shard.rows())),
                        (tally, shards) -> new Response(
                                1, shards.stream().mapToInt(Integer::intValue).sum()));
    }
}
