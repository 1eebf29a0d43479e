package io.psf.runtime.internal.transport.net;

/**
 * How long a thread spins before it blocks and then has to be woken. The limit is longer while what it waits for has
 * recently arrived soon, so that a thread that waits for the next piece of a large frame does not block just before it
 * arrives. Not thread-safe.
 */
final class SpinLimit {
    /** The factor of the longer limit. */
    private static final int FACTOR = 4;

    private final long usual;
    private long now;

    /**
     * Creates a limit.
     *
     * @param usualNanos the limit while little arrives; 0 for no spinning
     */
    SpinLimit(long usualNanos) {
        this.usual = usualNanos;
        this.now = usualNanos;
    }

    /** True if the thread should spin on after waiting for that long. */
    boolean allows(long nanos) {
        return nanos < now;
    }

    /** Adapts the limit to an arrival after that long. */
    void arrivedAfter(long nanos) {
        now = nanos < FACTOR * usual ? FACTOR * usual : usual;
    }
}
