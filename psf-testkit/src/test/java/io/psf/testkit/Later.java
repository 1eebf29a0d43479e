package io.psf.testkit;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** Answers after a delay; a call that is late cancels the one before. */
@PsFunction(value = "test.later", at = Place.SCHEDULER)
interface Later {
    record Request(int millis, boolean cancel) {}

    record Response(int turn) {}

    final class Turns {
        private Future<?> last = CompletableFuture.completedFuture(null);
        private int turns;
    }

    default CompletionStage<Response> handle(Request request, Node node) {
        Turns turns = node.attachment("test.later", Turns.class, Turns::new);
        if (request.cancel()) {
            turns.last.cancel(false);
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        turns.last =
                node.after(Duration.ofMillis(request.millis()), () -> answer.complete(new Response(turns.turns++)));
        return answer;
    }
}
