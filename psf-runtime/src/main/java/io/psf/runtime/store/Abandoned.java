package io.psf.runtime.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory off the heap that is used no more. It is freed once a collection finds it, which a server's heap gives little
 * reason for; so there is one whenever enough has come together. Of the whole JVM, as a collection is.
 */
public final class Abandoned {
    private static final long MOST = 512L << 20;

    private static final AtomicLong BYTES = new AtomicLong();

    private Abandoned() {}

    /**
     * Counts some, and collects if it is enough.
     *
     * @param bytes that had been written to; nobody refers to them any more, but perhaps the caller
     */
    public static void add(long bytes) {
        if (BYTES.addAndGet(bytes) > MOST) {
            collect();
        }
    }

    /** Collects now. */
    public static void collect() {
        BYTES.set(0);
        System.gc();
    }
}
