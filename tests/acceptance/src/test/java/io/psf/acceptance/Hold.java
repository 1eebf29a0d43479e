package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Never answers. */
@PsFunction("acceptance.hold")
interface Hold {
    record Request(
            TensorId table,
            TensorId other,
            @ByKey(of = "other") LongArray keys) {}

    record Response() {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return new CompletableFuture<>();
    }
}
