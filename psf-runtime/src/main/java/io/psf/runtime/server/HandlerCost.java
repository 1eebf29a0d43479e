package io.psf.runtime.server;

/**
 * How long handlers on a shard take: the median of the last three. One preemption by the system therefore does not make a
 * handler a slow one, which would be passed to another thread and preempted all the more. Written on the lane; read by any
 * thread.
 */
final class HandlerCost {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private volatile long median = UNKNOWN;
    private long last = UNKNOWN;
    private long before = UNKNOWN;

    /** In nanoseconds; the greatest number while it is not known. */
    long nanos() {
        return median;
    }

    /** A handler took so long. */
    void took(long nanos) {
        long low = Math.min(last, nanos);
        long high = Math.max(last, nanos);
        median = median == UNKNOWN ? nanos : Math.max(low, Math.min(high, before));
        before = last;
        last = nanos;
    }
}
