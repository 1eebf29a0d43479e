package io.psf.simulation.workload;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Appends a number to the log of each slice, which the oracle holds; at once, or after a time. */
@PsFunction("simulation.append")
interface Append {
    /**
     * A number.
     *
     * @param micros the time after which it is appended and the call answered; 0 for at once
     */
    record Request(TensorId log, int number, int micros) {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, Shard shard) {
        int worker = shard.call().worker();
        CompletableFuture<Response> answer = new CompletableFuture<>();
        Runnable append = () -> {
            AppendLog.current().appended(shard.slice(), worker, request.number());
            answer.complete(new Response());
        };
        if (request.micros() == 0) {
            append.run();
        } else {
            var unused = shard.after(Duration.ofNanos(1_000L * request.micros()), append);
        }
        return answer;
    }
}
