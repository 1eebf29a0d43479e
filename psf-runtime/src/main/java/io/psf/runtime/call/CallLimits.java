package io.psf.runtime.call;

/**
 * The limits of a call.
 *
 * @param timeoutNanos the time until its deadline
 * @param priority from -128 to 127; calls with a higher priority run first
 * @param background true if the node makes the call for its own purposes; {@link Client#await} and {@link
 *     Client#settle} ignore it
 */
public record CallLimits(long timeoutNanos, int priority, boolean background) {
    /** Returns limits with the default priority, 0, of a call that is not in the background. */
    public static CallLimits of(long timeoutNanos) {
        return new CallLimits(timeoutNanos, 0, false);
    }
}
