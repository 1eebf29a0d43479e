package io.psf.runtime.store;

import java.nio.ByteBuffer;

/** Gives memory off the heap to shards. Thread-safe. */
public interface Store extends AutoCloseable {
    /**
     * Memory of zeros, little-endian, that lives as long as it is reachable.
     *
     * @param name whose memory it is, unique in this store while it lives
     * @param bytes at least 1
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if there is none left
     */
    ByteBuffer allocate(String name, int bytes);

    /** Ends what the store keeps open; memory that was given stays good. */
    @Override
    void close();
}
