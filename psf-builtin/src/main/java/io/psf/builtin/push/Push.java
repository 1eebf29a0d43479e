package io.psf.builtin.push;

import io.psf.api.Caller;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A push whose round has not closed yet.
 *
 * @param answer makes the answer once the round is in the values
 * @param answered the pending answer
 * @param caller calls other slices on behalf of the push; null if none is called
 */
record Push<R>(
        Supplier<R> answer,
        CompletableFuture<R> answered,
        @Nullable Caller caller) {
    Push(Supplier<R> answer, @Nullable Caller caller) {
        this(answer, new CompletableFuture<>(), caller);
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
