package io.psf.runtime.spi.store;

import java.nio.ByteBuffer;

/**
 * Memory of a store. Views of the memory may be in use for longer than its owner uses it, for example by an answer that
 * is being sent. Therefore the memory is freed once the buffer and all its views are unreachable.
 */
public interface Allocation {
    /** Returns the memory, little-endian. */
    ByteBuffer bytes();

    /**
     * Brings rows at random into memory, side by side, before they are accessed one after the other. Memory of the
     * machine needs nothing of the kind; a mapped file has pages that are on the disk alone. Waits for the disk. Called
     * by one thread at a time, the lane of the rows.
     *
     * @param rows the numbers of the rows; a negative one is left out
     * @param first the index of the first of {@code rows}
     * @param n the number of {@code rows}
     * @param bytesOfRow the size of a row; row 0 begins at byte 0
     */
    default void loadRows(int[] rows, int first, int n, int bytesOfRow) {}

    /**
     * Brings bytes into memory that are to be read one after the other, as {@link #loadRows} does.
     *
     * @param begin the first byte
     * @param end the end, exclusive
     */
    default void loadRange(int begin, int end) {}

    /**
     * Gives the memory up: its owner no longer uses it. Views of it stay valid. The store has the memory freed once
     * they are unreachable. Callable from any thread; later calls have no effect.
     *
     * @param used the number of bytes that have been written to, starting at the first
     */
    void giveUp(long used);
}
