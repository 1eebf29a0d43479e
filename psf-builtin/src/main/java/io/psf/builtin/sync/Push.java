package io.psf.builtin.sync;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A push that waits for its round.
 *
 * @param update what it changes; borrowed until it is answered
 * @param answer makes the answer once the round is in the values
 * @param answered the answer under way
 */
record Push<R>(Update update, Supplier<R> answer, CompletableFuture<R> answered) {
    Push(Update update, Supplier<R> answer) {
        this(update, answer, new CompletableFuture<>());
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
