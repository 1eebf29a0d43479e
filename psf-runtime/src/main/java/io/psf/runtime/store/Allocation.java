package io.psf.runtime.store;

import java.nio.ByteBuffer;

/**
 * Memory of a store. Views of the memory may be in use for longer than its owner uses it, for example by an answer that
 * is being sent. Therefore the memory is freed once the buffer and all its views are unreachable.
 */
public interface Allocation {
    /** Returns the memory, little-endian. */
    ByteBuffer bytes();

    /**
     * Gives the memory up: its owner no longer uses it. Views of it stay valid. The store has the memory freed once
     * they are unreachable. Callable from any thread; later calls have no effect.
     *
     * @param used the number of bytes that have been written to, starting at the first
     */
    void giveUp(long used);
}
