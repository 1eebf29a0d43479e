package io.psf.examples.waiting;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/** Returns the sum of all values of a tensor, with one message per server, whatever its number of slices. */
@PsFunction(value = "examples.server.sum", at = Place.SERVER, readOnly = true)
public interface ServerSum {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) double sum) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        return server.onShards(request.tensor(), shard -> sum(shard.values())) // each on its shard's lane
                .thenApply(sums -> new Response(
                        sums.stream().mapToDouble(Double::doubleValue).sum()));
    }

    private static double sum(FloatArray values) {
        double sum = 0;
        for (int i = 0; i < values.length(); i++) {
            sum += values.get(i);
        }
        return sum;
    }
}
