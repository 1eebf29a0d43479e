package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** An answer that is there, or waits for a later call of the test; nobody else would bring it. */
final class TestPending<R> implements Pending<R> {
    private final String function;
    private final CompletableFuture<R> answer;

    TestPending(String function, CompletableFuture<R> answer) {
        this.function = function;
        this.answer = answer;
    }

    @Override
    public R await() {
        if (!answer.isDone()) {
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
