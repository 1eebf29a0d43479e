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
     * to a sleeping thread takes about as long. With two processors, a woken thread finds no free processor and may wait
     * for its turn. With one, both threads share it, and the handler takes longer for it.
     */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(
            switch (Runtime.getRuntime().availableProcessors()) {
                case 1 -> 3000;
                case 2 -> 1000;
                default -> 200;
            });

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
