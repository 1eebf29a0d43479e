package io.psf.api.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a call is made.
 *
 * @param deadline how long the answer may take; null for the worker's own limit
 */
public record CallOptions(@Nullable Duration deadline) {
    /** The worker's own limits. */
    public static final CallOptions DEFAULT = new CallOptions(null);

    public CallOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: > 0)");
        }
    }
}
