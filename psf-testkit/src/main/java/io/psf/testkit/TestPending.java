package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * An answer that is complete, or that a later call of the test completes. {@code await} never blocks, since no other
 * thread would complete it.
 */
final class TestPending<R> implements Pending<R> {
    private final String function;
    private final CompletableFuture<R> answer;
    private final BooleanSupplier onLane;

    /**
     * Creates a pending answer.
     *
     * @param onLane true while a handler runs, which must not wait
     */
    TestPending(String function, CompletableFuture<R> answer, BooleanSupplier onLane) {
        this.function = function;
        this.answer = answer;
        this.onLane = onLane;
    }

    @Override
    public R await() {
        if (!answer.isDone() && onLane.getAsBoolean()) {
            throw new PsException(
                            PsException.Code.HANDLER_FAILED,
                            "waiting for a call of \"" + function + "\": on a lane (expected: a handler that returns a"
                                    + " stage of it, CompletionStage<Response>, since a lane that waits does not come to"
                                    + " the answer)")
                    .at(function, null, null, null);
        } else if (!answer.isDone()) {
            throw new PsException(
                            PsException.Code.TIMED_OUT,
                            "answer: not given yet (expected: at once, or by a call before await)")
                    .at(function, null, null, null);
        }
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            } else if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public R await(Duration limit) {
        return await();
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public boolean cancel() {
        return answer.cancel(false);
    }

    @Override
    public CompletableFuture<R> toCompletableFuture() {
        return answer.copy();
    }
}
