package io.psf.runtime;

import static io.psf.api.layout.Reduction.MAX;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers once it is called to open; tells how often it was run. */
@PsFunction(value = "acceptance.gate", ordered = false)
interface Gate {
    record Request(TensorId tensor, boolean open) {}

    record Response(@Reduce(MAX) int runs) {}

    final class Waiting {
        private final List<CompletableFuture<Response>> calls = new ArrayList<>();
        private int runs;
    }

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Waiting waiting = shard.attachment(Waiting.class, Waiting::new);
        waiting.runs++;
        CompletableFuture<Response> answer = new CompletableFuture<>();
        waiting.calls.add(answer);
        if (slice.open()) {
            List<CompletableFuture<Response>> all = List.copyOf(waiting.calls);
            waiting.calls.clear();
            all.forEach(each -> each.complete(new Response(waiting.runs)));
        }
        return answer;
    }
}
