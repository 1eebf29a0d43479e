package io.psf.builtin.internal.checkpoint;

import io.psf.api.DeferredAnswer;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.builtin.push.Stages;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A save or load that one caller wants by itself.
 *
 * @param what the work with the model's name, for messages
 * @param isRestored true if it is of the checkpoints from which lost slices are loaded: workers save those together
 */
record Alone(Node leader, String what, boolean isRestored) {
    /**
     * Checks that no workers are there, which would have to take part.
     *
     * @throws PsException with {@code BAD_REQUEST}
     */
    void requireAllowed() {
        int workers = isRestored ? Workers.of(leader.members()).size() : 0;
        if (workers > 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + ": by a client, beside " + workers + (workers == 1 ? " worker" : " workers")
                            + " (expected: by all workers together; by a client where there are none)");
        }
    }

    /** Answers when work has ended, which is begun at once or waits for its turn. */
    <R> CompletionStage<R> answer(Function<CompletableFuture<R>, CompletionStage<R>> work) {
        requireAllowed();
        CompletableFuture<R> answer = new DeferredAnswer<>(
                () -> what + ": it, or another save or load before it, is under way (expected: finished before the"
                        + " deadline)");
        var unused = work.apply(answer).whenComplete((done, failure) -> {
            if (failure == null) {
                answer.complete(done);
            } else {
                answer.completeExceptionally(Stages.cause(failure));
            }
        });
        return answer;
    }
}
