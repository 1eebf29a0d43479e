package io.psf.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The answer to a call in flight. The arrays of the request, and the arrays passed to be filled, are borrowed until
 * {@code await} returns or throws. Thread-safe.
 *
 * @param <R> the function's response
 */
public interface Pending<R> {
    /**
     * Blocks until the answer arrives, and returns it.
     *
     * @throws PsException if the call failed; with {@code TIMED_OUT} if its deadline passed; with {@code CALLER_FAILED}
     *     if the function's own {@code merge} or {@code finish}, or a record's check, failed in this process; with
     *     {@code CANCELLED} if the call was cancelled, or if the waiting thread was interrupted, whose interrupt status
     *     is then set again
     */
    R await();

    /**
     * Blocks until the answer arrives, but at most for {@code limit}, and returns the answer.
     *
     * @throws PsException as {@link #await()}; with {@code TIMED_OUT} if the answer has not arrived within the limit;
     *     the call continues then
     */
    R await(Duration limit);

    /** True if the call has ended, with an answer or an error. */
    boolean isDone();

    /**
     * Cancels the call. A slice that has not yet run the call does not run it, and the answer is discarded. {@code
     * await} fails with {@code CANCELLED}. Changes that a slice has already made remain.
     *
     * @return true if the call had not ended before
     */
    boolean cancel();

    /**
     * Returns the answer as a separate future, which fails with the {@link PsException} of the call. If the future is
     * completed in another way before the answer arrives, by {@code cancel}, {@code orTimeout}, {@code
     * completeOnTimeout} or {@code complete}, the call is cancelled as by {@link #cancel}. Dependent stages of an
     * answer run on the thread that delivers it: a stage that blocks also blocks that thread.
     */
    CompletableFuture<R> toCompletableFuture();
}
