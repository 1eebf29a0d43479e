package io.psf.runtime.internal.server.invocation;

import java.util.concurrent.TimeUnit;

/**
 * How long handlers on a shard take: the median of the last three. One preemption by the system therefore does not make
 * a handler a slow one, which would be passed to another thread and preempted all the more. Written on the lane; read
 * by any thread.
 */
public final class HandlerCost {
    private static final long UNKNOWN = Long.MAX_VALUE;

    /**
     * A shard whose handlers take no longer than this runs them on the thread that receives the request: the dispatch
     * to a sleeping thread takes about as long. On a machine with one or two processors, a woken thread finds no free
     * processor and may wait for its turn; therefore the limit is higher there.
     */
    private static final long QUICK_NANOS =
            TimeUnit.MICROSECONDS.toNanos(Runtime.getRuntime().availableProcessors() > 2 ? 200 : 1000);

    private volatile boolean quick;
    private long median = UNKNOWN;
    private long last = UNKNOWN;
    private long before = UNKNOWN;

    /** True if the thread that receives the request may run the handler itself. */
    boolean isQuick() {
        return quick;
    }

    /** A handler took so long. */
    void took(long nanos) {
        long low = Math.min(last, nanos);
        long high = Math.max(last, nanos);
        median = median == UNKNOWN ? nanos : Math.max(low, Math.min(high, before));
        before = last;
        last = nanos;
        if (quick != median <= QUICK_NANOS) { // rarely: a read is cheaper than a write
            quick = !quick;
        }
    }
}
