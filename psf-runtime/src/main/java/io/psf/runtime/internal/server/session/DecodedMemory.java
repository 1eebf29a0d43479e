package io.psf.runtime.internal.server.session;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.FramePool;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap memory of what a node's requests become: lists, maps, texts and copied arrays of their tuples, and the
 * objects of the requests of chains. It counts among the bytes in use of the frames. Thread-safe.
 */
final class DecodedMemory {
    /** The part of the node's memory for frames, or of the heap, that it may take. */
    private static final int PART = 4;

    private final FramePool pool;
    private final long most;
    private final AtomicLong used = new AtomicLong();

    /** Creates an account of nothing. */
    DecodedMemory(FramePool pool) {
        this.pool = pool;
        this.most = Math.min(pool.bound(), Runtime.getRuntime().maxMemory()) / PART;
    }

    /**
     * Takes memory for one peer, or gives it back. A peer has at most as much as is free, so that some is left for the
     * other ones.
     *
     * @param bytes negative for memory that is given back
     * @param ofPeer the bytes that the peer has, with these
     * @param limit the most bytes that the peer may have in any case
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if that is too much
     */
    void take(long bytes, long ofPeer, long limit) {
        long free = most - used.addAndGet(bytes) + bytes;
        if (bytes > 0 && ofPeer > Math.min(limit, free)) {
            used.addAndGet(-bytes);
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "objects that requests of one peer become: " + ofPeer + " bytes (expected: at most "
                            + Math.max(0, Math.min(limit, free)) + " now, of " + most
                            + " for all peers; send shorter lists, maps, texts or chains, or raise PSF_MEMORY)");
        }
        pool.count(bytes);
    }
}
