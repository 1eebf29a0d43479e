package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Returns how often the values of the tensor's shards have been read, and by how many threads each was used. */
@PsFunction("acceptance.reads")
public interface CountReads {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) long reads, @Reduce(SUM) int threads) {}

    default Response handle(Request request, CountingShard shard) {
        return new Response(shard.reads(), shard.threads());
    }
}
