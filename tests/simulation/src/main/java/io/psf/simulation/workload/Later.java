package io.psf.simulation.workload;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers after a time. */
@PsFunction("simulation.later")
interface Later {
    record Request(TensorId tensor, int millis) {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, Shard shard) {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        var unused = shard.after(Duration.ofMillis(request.millis()), () -> answer.complete(new Response()));
        return answer;
    }
}
