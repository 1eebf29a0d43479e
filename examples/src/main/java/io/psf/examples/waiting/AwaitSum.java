package io.psf.examples.waiting;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.ByKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Answers once the sum of a tensor has reached a value, whatever function changes it. One server polls all servers from
 * time to time. No thread blocks, and the shards' lanes are free meanwhile.
 */
@PsFunction(value = "examples.await.sum", at = Place.SERVER, readOnly = true)
public interface AwaitSum {
    /**
     * The sum to wait for.
     *
     * @param waiter any number; it selects the server that polls the others
     * @param tensor the tensor
     * @param least the sum to be reached
     * @param everyMillis the pause in milliseconds before the servers are polled again
     */
    record Request(@ByKey long waiter, TensorId tensor, double least, int everyMillis) {}

    record Response(double sum) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        ServerSumPsf.Stub sum = ServerSumPsf.stub(server.caller()); // by the deadline of this call
        CompletableFuture<Response> answer = new CompletableFuture<>();
        ask(request, server, sum, answer);
        return answer;
    }

    private static void ask(Request request, Node server, ServerSumPsf.Stub sum, CompletableFuture<Response> answer) {
        sum.call(request.tensor()).toCompletableFuture().whenComplete((now, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (now.sum() >= request.least()) {
                answer.complete(new Response(now.sum()));
            } else if (!answer.isDone()) { // not past its deadline, not cancelled
                server.after(Duration.ofMillis(request.everyMillis()), () -> ask(request, server, sum, answer));
            }
        });
    }
}
