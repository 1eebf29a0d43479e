package io.psf.runtime.call;

/**
 * How a call is made.
 *
 * @param timeoutNanos how long it may take
 * @param priority from -128 to 127: calls of a higher one are run first
 * @param background whether it is for the node's own sake, so that nobody waits for it who waits for everything
 */
public record CallLimits(long timeoutNanos, int priority, boolean background) {
    /** Of the usual priority. */
    public static CallLimits of(long timeoutNanos) {
        return new CallLimits(timeoutNanos, 0, false);
    }
}
