package io.psf.runtime.spi.store;

import io.psf.api.spi.MemoryUse;

/** Allocates off-heap memory for shards, and has an account of it. Thread-safe. */
public interface Store extends AutoCloseable {
    /**
     * Promises memory to the allocations that follow, before the first of them. The caller gives the promise back, in
     * parts, as each allocation begins.
     *
     * @param what the owner of the memory, for messages
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} or {@code STORAGE} if there is not as much
     */
    default void promise(String what, long bytes) {}

    /** Gives back bytes of a promise. */
    default void endPromise(long bytes) {}

    /**
     * Allocates zeroed memory. Blocks only for a collection, if the memory of tensors that were dropped is needed.
     *
     * @param name the owner of the memory, unique in this store while the memory lives
     * @param bytes at least 1
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if no memory is left; with {@code STORAGE} if the
     *     disk has no space for it
     */
    Allocation allocate(String name, int bytes);

    /**
     * Reserves capacity for data that grows without being copied. Only memory that is taken counts as allocated.
     *
     * @param name the owner of the capacity, unique in this store while the capacity lives
     * @param bytes the requested number of bytes, at least 1
     * @return the requested capacity, or less if the system cannot reserve as much
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if no memory is left
     */
    Reservation reserve(String name, int bytes);

    /** Returns the allocated bytes, which include dropped tensors until a garbage collection, and their limit. */
    default MemoryUse use() {
        return new MemoryUse(0, Long.MAX_VALUE);
    }

    /** Releases the resources that the store holds open. Memory that was allocated stays valid. */
    @Override
    void close();
}
