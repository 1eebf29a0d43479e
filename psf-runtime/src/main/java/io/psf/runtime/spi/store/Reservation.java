package io.psf.runtime.spi.store;

/**
 * Capacity for data that grows, from which memory is taken, starting at its beginning. The content is undefined, and
 * only bytes that have been taken may be written to. Not thread-safe: one thread at a time takes memory from it.
 */
public interface Reservation extends Allocation {
    /**
     * Takes memory. Must be called before the memory is written to.
     *
     * @param bytes the number of bytes to be usable from the beginning on, at most the capacity
     * @return the number of usable bytes: at least {@code bytes}, more if that avoids many small steps
     * @throws io.psf.api.PsException with {@code STORAGE} if the disk has no space for it, with {@code
     *     RESOURCE_EXHAUSTED} if the limit of the store is reached; the memory that was taken before stays valid
     */
    int take(int bytes);
}
