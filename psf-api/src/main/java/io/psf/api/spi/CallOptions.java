package io.psf.api.spi;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a call.
 *
 * @param deadline the time limit for the answer; null for the worker's own limit
 * @param priority from -128 to 127: of the calls that wait on a server, those with a higher priority are run first
 * @param withoutLost true if a call to all servers leaves out the servers that are lost for good; without effect on
 *     other calls
 * @param background true if the caller does not depend on the call: {@code awaitAll} ignores it, and it goes on when
 *     the model goes back to a checkpoint, which fails another call then
 */
public record CallOptions(@Nullable Duration deadline, int priority, boolean withoutLost, boolean background)
        implements Serializable {
    /** The worker's own time limit, priority 0. */
    public static final CallOptions DEFAULT = new CallOptions(null, 0, false, false);

    public CallOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: > 0)");
        }
        if (priority < Byte.MIN_VALUE || priority > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("priority: " + priority + " (expected: -128 to 127)");
        }
    }

    /** Returns a copy with another deadline. */
    public CallOptions withDeadline(Duration limit) {
        return new CallOptions(limit, priority, withoutLost, background);
    }

    /** Returns a copy with another priority. */
    public CallOptions withPriority(int other) {
        return new CallOptions(deadline, other, withoutLost, background);
    }

    /** Returns a copy for a call on which the caller does not depend. */
    public CallOptions inBackground() {
        return new CallOptions(deadline, priority, withoutLost, true);
    }
}
