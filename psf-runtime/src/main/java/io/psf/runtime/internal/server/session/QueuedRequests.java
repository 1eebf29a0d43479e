package io.psf.runtime.internal.server.session;

import java.util.concurrent.atomic.AtomicLong;

/** The number and the bytes of the requests of a peer that wait for their turns. Thread-safe. */
final class QueuedRequests {
    /** Where the number begins: the requests have at most 1 TB. */
    private static final int NUMBER = 40;

    private static final long ONE = 1L << NUMBER;

    /** The number, and in the lower bits the bytes. */
    private final AtomicLong counted = new AtomicLong();

    void add(int bytes) {
        counted.addAndGet(ONE + bytes);
    }

    void remove(int bytes) {
        counted.addAndGet(-ONE - bytes);
    }

    long number() {
        return counted.get() >> NUMBER;
    }

    long bytes() {
        return counted.get() & ONE - 1;
    }
}
