package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Counts the shards by the handler that serves them. */
@PsFunction("acceptance.handler")
public interface NameHandler {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) int byBody, @Reduce(SUM) int byKind) {}

    default Response handle(Request request, Shard shard) {
        return new Response(1, 0);
    }
}
