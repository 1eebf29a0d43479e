package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Never answers. */
@PsFunction("acceptance.silent")
interface Silent {
    record Request(TensorId tensor) {}

    record Response() {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        CallOn.SILENT.add(answer);
        return answer;
    }
}
