package io.psf.runtime.internal.call;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a call.
 *
 * @param timeoutNanos the time until its deadline
 * @param priority from -128 to 127; calls with a higher priority run first
 * @param background true if the node makes the call for its own purposes, or the caller does not depend on it; {@link
 *     CallClient#await}, {@link CallClient#settle} and {@link CallClient#failForeground} ignore it
 * @param repeats sends the call again, with fresh layouts, if its layouts turn out to be out of date; null if the call
 *     then fails
 * @param step the step of a task that the call is; null for none
 */
public record CallLimits(
        long timeoutNanos,
        int priority,
        boolean background,
        @Nullable Executor repeats,
        @Nullable TaskStep step) {
    /** Creates limits of a call that is no step of a task. */
    public CallLimits(long timeoutNanos, int priority, boolean background, @Nullable Executor repeats) {
        this(timeoutNanos, priority, background, repeats, null);
    }

    /** Returns limits with the default priority, 0, of a call that is not in the background and is not repeated. */
    public static CallLimits of(long timeoutNanos) {
        return new CallLimits(timeoutNanos, 0, false, null);
    }
}
