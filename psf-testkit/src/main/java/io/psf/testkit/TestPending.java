package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * An answer that is complete, or that a later call of the test completes. {@code await} blocks in a worker's program
 * alone: no other thread would complete the answer otherwise.
 */
final class TestPending<R> implements Pending<R> {
    private final String function;
    private final CompletableFuture<R> answer;
    private final BooleanSupplier onLane;
    private final TestPrograms programs;
    /** The test's time at which the call's deadline passes. */
    private final Duration due;

    /** True if the answer or the failure was returned to the test. */
    private boolean observed;

    /**
     * Creates a pending answer.
     *
     * @param onLane true while a handler runs, which must not wait
     * @param deadline the limit for the answer, from now on
     */
    TestPending(
            String function,
            CompletableFuture<R> answer,
            BooleanSupplier onLane,
            TestPrograms programs,
            Duration deadline) {
        this.function = function;
        this.answer = answer;
        this.onLane = onLane;
        this.programs = programs;
        this.due = programs.now().plus(deadline);
    }

    /** True if the call has ended, and {@code awaitAll} has nothing to report of it. */
    boolean isSettled() {
        return answer.isDone() && (observed || !answer.isCompletedExceptionally() || answer.isCancelled());
    }

    @Override
    public R await() {
        return awaitUntil(due);
    }

    private R awaitUntil(Duration limit) {
        if (!answer.isDone() && onLane.getAsBoolean()) {
            throw new PsException(
                            PsException.Code.HANDLER_FAILED,
                            "waiting for a call of \"" + function + "\": on a lane (expected: a handler that"
                                    + " returns a CompletionStage<Response> and does not wait, since the answer"
                                    + " arrives on the same lane)")
                    .at(function, null, null, null);
        } else if (!programs.await(answer::isDone, limit)) {
            throw new PsException(
                            PsException.Code.TIMED_OUT,
                            "answer: not given yet (expected: at once, or by a call before await; or a worker's program,"
                                    + " which waits, run by TestCluster.together)")
                    .at(function, null, null, null);
        }
        observed = true;
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
        Duration until = programs.now().plus(limit);
        return awaitUntil(until.compareTo(due) < 0 ? until : due);
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
        observed = true;
        return answer.copy();
    }
}
