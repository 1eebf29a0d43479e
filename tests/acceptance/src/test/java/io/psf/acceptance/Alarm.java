package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;

/** Answers after a delay with the rows of the tensor. */
@PsFunction(value = "acceptance.alarm", readOnly = true, ordered = false)
interface Alarm {
    record Request(TensorId tensor, long millis) {}

    record Response(@Reduce(SUM) int rows) {}

    /** The work that has been put off, of all shards. */
    Queue<Future<?>> SET = new ConcurrentLinkedQueue<>();

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        SET.add(shard.after(Duration.ofMillis(slice.millis()), () -> answer.complete(new Response(shard.rows()))));
        return answer;
    }
}
