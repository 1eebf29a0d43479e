package io.psf.runtime.store;

import java.nio.ByteBuffer;

/**
 * Room that takes memory as something grows in it, from its beginning on. It lives as long as it is reachable. One thread at
 * a time takes of it.
 */
public interface Room {
    /** All of it, little-endian, its content undefined. Only what has been taken may be written to. */
    ByteBuffer bytes();

    /**
     * Takes memory before it is written to.
     *
     * @param bytes how much there is to be from the beginning on, at most all
     * @return how much there is: at least as much, more where that saves taking it bit by bit
     * @throws io.psf.api.PsException with {@code STORAGE} if the disk that it lies on has no space for it; what was taken
     *     before stays good
     */
    int take(int bytes);
}
