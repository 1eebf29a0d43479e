package io.psf.runtime.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts off-heap memory that is no longer used. It is freed only by a garbage collection, and a server's small heap
 * rarely triggers one. Therefore this class runs a collection whenever the unused memory exceeds a limit. The count is
 * for the whole JVM, as a collection is.
 */
public final class Abandoned {
    private static final long MOST = 512L << 20;

    private static final AtomicLong BYTES = new AtomicLong();

    private Abandoned() {}

    /**
     * Adds to the count. Runs a collection if the count exceeds the limit.
     *
     * @param bytes a number of bytes that had been written to; nothing refers to them any more, except perhaps the
     *     caller
     */
    public static void add(long bytes) {
        if (BYTES.addAndGet(bytes) > MOST) {
            collect();
        }
    }

    /** Runs a collection now. */
    public static void collect() {
        BYTES.set(0);
        System.gc();
    }
}
