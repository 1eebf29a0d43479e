package io.psf.runtime.internal.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Limits a log message to one a minute. Thread-safe. */
public final class LogLimiter {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong next = new AtomicLong(System.nanoTime());

    /** True if the message may be logged now. */
    public boolean allows() {
        long due = next.get();
        long now = System.nanoTime();
        return now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS);
    }
}
