package io.psf.builtin.push;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A push whose round has not closed yet.
 *
 * @param answer makes the answer once the round is in the values
 * @param answered the pending answer
 */
record Push<R>(Supplier<R> answer, CompletableFuture<R> answered) {
    Push(Supplier<R> answer) {
        this(answer, new CompletableFuture<>());
    }

    void complete() {
        R made;
        try {
            made = answer.get();
        } catch (RuntimeException | Error e) {
            answered.completeExceptionally(e);
            return;
        }
        answered.complete(made);
    }
}
