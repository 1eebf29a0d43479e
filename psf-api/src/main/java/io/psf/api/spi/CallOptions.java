package io.psf.api.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a call is made.
 *
 * @param deadline how long the answer may take; null for the worker's own limit
 * @param priority from -128 to 127: where calls wait for their turn on a server, those of a higher one are run first
 */
public record CallOptions(@Nullable Duration deadline, int priority) {
    /** The worker's own limits. */
    public static final CallOptions DEFAULT = new CallOptions(null, 0);

    public CallOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: > 0)");
        }
        if (priority < Byte.MIN_VALUE || priority > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("priority: " + priority + " (expected: -128 to 127)");
        }
    }

    /** The same with another deadline. */
    public CallOptions withDeadline(Duration limit) {
        return new CallOptions(limit, priority);
    }

    /** The same with another priority. */
    public CallOptions withPriority(int other) {
        return new CallOptions(deadline, other);
    }
}
