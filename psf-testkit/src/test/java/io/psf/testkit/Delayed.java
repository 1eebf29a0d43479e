package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** Answers after a delay with the sum of the values as they are then; a call that is late cancels the one before. */
@PsFunction(value = "test.delayed", ordered = false)
interface Delayed {
    record Request(TensorId tensor, int millis, boolean cancel) {}

    record Response(@Reduce(SUM) double sum) {}

    final class Last {
        private Future<?> due = CompletableFuture.completedFuture(null);
    }

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Last last = shard.attachment(Last.class, Last::new);
        if (slice.cancel()) {
            last.due.cancel(false);
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        last.due = shard.after(Duration.ofMillis(slice.millis()), () -> {
            double sum = 0;
            for (float value : shard.values().toArray()) {
                sum += value;
            }
            answer.complete(new Response(sum));
        });
        return answer.minimalCompletionStage();
    }
}
