package io.psf.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The answer to a call that is under way. Arrays of the request, and arrays given to be filled, are borrowed until
 * {@code await} returns or throws. Thread-safe.
 *
 * @param <R> the function's response
 */
public interface Pending<R> {
    /**
     * Waits for the answer.
     *
     * @throws PsException if the call failed, with {@code TIMED_OUT} when its deadline passed; with {@code CALLER_FAILED}
     *     if the function's own {@code merge} or {@code finish}, or a record's check, failed here; with {@code CANCELLED}
     *     if it was given up, or if the waiting thread is interrupted, whose interrupt status is then set again
     */
    R await();

    /**
     * Waits for the answer, but not longer than given.
     *
     * @throws PsException as {@link #await()}; with {@code TIMED_OUT} if the answer is not there in time, while the call
     *     goes on
     */
    R await(Duration limit);

    /** Whether the call has ended, with an answer or an error. */
    boolean isDone();

    /**
     * Gives the call up: where it has not been run yet it is not run, and nobody waits for its answer. Awaiting it fails
     * with {@code CANCELLED}. What a slice has done already stays done.
     *
     * @return whether the call had not ended before
     */
    boolean cancel();

    /**
     * The same answer as a future of its own, which fails with the {@link PsException} of the call. A future that is
     * completed in another way before the answer is there, by {@code cancel}, {@code orTimeout},
     * {@code completeOnTimeout} or {@code complete}, gives the call up as {@link #cancel} does. Dependent stages of an
     * answer run on the thread that brings it: a stage that blocks keeps that thread.
     */
    CompletableFuture<R> toCompletableFuture();
}
