package io.psf.runtime.transport.net;

/**
 * How long a thread looks again and again before it sleeps, and then has to be woken: longer while what it waits for has
 * lately come soon, so that one that waits for the next piece of something large does not sleep just before it comes. Not
 * thread-safe.
 */
final class Patience {
    /** How much longer. */
    private static final int FACTOR = 4;

    private final long usual;
    private long now;

    /**
     * Patience.
     *
     * @param usualNanos how long to look where little is going on; 0 for never
     */
    Patience(long usualNanos) {
        this.usual = usualNanos;
        this.now = usualNanos;
    }

    /** Whether to look again after so long. */
    boolean lasts(long nanos) {
        return nanos < now;
    }

    /** Something came after so long. */
    void cameAfter(long nanos) {
        now = nanos < FACTOR * usual ? FACTOR * usual : usual;
    }
}
