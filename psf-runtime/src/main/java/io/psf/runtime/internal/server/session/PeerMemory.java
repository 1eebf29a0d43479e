package io.psf.runtime.internal.server.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the requests of one peer hold: frames that deferred handlers read, and what requests have become.
 * Thread-safe.
 */
public final class PeerMemory {
    private final DecodedMemory ofAll;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong decoded = new AtomicLong();
    private volatile long most = PeerLimits.DECODED_OF_A_STRANGER;

    /** Creates the memory of a peer that is not identified. */
    PeerMemory(DecodedMemory ofAll) {
        this.ofAll = ofAll;
    }

    /** Sets the most bytes of what the peer's requests become. */
    void limit(long bytes) {
        most = bytes;
    }

    /** Returns the bytes of requests that deferred handlers hold. */
    long held() {
        return held.get();
    }

    /** Adds to the bytes of requests that deferred handlers hold; negative for requests that are no longer held. */
    public void held(long bytes) {
        held.addAndGet(bytes);
    }

    /**
     * Takes memory for what a request becomes.
     *
     * @param bytes negative for memory that is given back
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if there is not as much
     */
    public void decoded(long bytes) {
        long all = decoded.addAndGet(bytes);
        boolean isTaken = false;
        try {
            ofAll.take(bytes, all, most);
            isTaken = true;
        } finally {
            if (!isTaken) {
                decoded.addAndGet(-bytes);
            }
        }
    }
}
