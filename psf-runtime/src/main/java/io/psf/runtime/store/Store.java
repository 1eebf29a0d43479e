package io.psf.runtime.store;

import java.nio.ByteBuffer;

/** Gives memory off the heap to shards. Thread-safe. */
public interface Store extends AutoCloseable {
    /**
     * Memory of zeros, little-endian, that lives as long as it is reachable.
     *
     * @param name whose memory it is, unique in this store while it lives
     * @param bytes at least 1
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if there is none left, with {@code STORAGE} if the disk
     *     that it would lie on has no space for it
     */
    ByteBuffer allocate(String name, int bytes);

    /**
     * Room for what grows without being copied.
     *
     * @param name whose room it is, unique in this store while it lives
     * @param bytes how much is wanted, at least 1
     * @return as much, or less where the system has no such room
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if there is none left
     */
    Room reserve(String name, int bytes);

    /** Ends what the store keeps open; memory that was given stays good. */
    @Override
    void close();
}
