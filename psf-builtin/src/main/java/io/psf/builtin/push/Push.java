package io.psf.builtin.push;

import io.psf.api.Caller;
import io.psf.api.DeferredAnswer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A push whose round has not closed yet.
 *
 * @param call the number of its call, unique for its worker
 * @param answer makes the answer once the round is in the values
 * @param answered the pending answer
 * @param caller calls other slices on behalf of the push; null if none is called
 */
record Push<R>(
        long call,
        Supplier<R> answer,
        DeferredAnswer<R> answered,
        @Nullable Caller caller) {
    /**
     * Creates the push of an open round.
     *
     * @param waitsFor says which workers the round waits for
     */
    Push(long call, Supplier<R> answer, @Nullable Caller caller, DeferredAnswer.Reason waitsFor) {
        this(call, answer, new DeferredAnswer<>(waitsFor), caller);
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
