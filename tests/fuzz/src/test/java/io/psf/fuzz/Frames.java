package io.psf.fuzz;

import java.util.concurrent.atomic.AtomicLong;

/** The number of frames that the tests of this JVM have sent. */
final class Frames {
    private static final AtomicLong SENT = new AtomicLong();

    private Frames() {}

    /** Counts a frame. */
    static void count() {
        SENT.incrementAndGet();
    }

    /** Returns the number of frames so far. */
    static long sent() {
        return SENT.get();
    }
}
