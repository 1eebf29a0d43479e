package io.psf.runtime.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection's bytes, both ways, without ever waiting. One thread reads, one at a time writes. */
interface Wire {
    /**
     * Reads what has come, as much as fits.
     *
     * @return how many bytes; 0 if nothing has come, -1 if nothing will
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * Writes as much as there is room for.
     *
     * @return how many bytes
     */
    int write(ByteBuffer from) throws IOException;

    void close() throws IOException;

    /** What tells a selector that there is something to read, or room. */
    SocketChannel socket();

    /** Whether bytes come and go without the selector's knowledge, unless one {@link #prepareToSleep} first. */
    default boolean isPolled() {
        return false;
    }

    /**
     * From now on the selector is told when there is something to read.
     *
     * @param wantsRoom whether it is to be told of room, too
     * @return false if there is something already
     */
    default boolean prepareToSleep(boolean wantsRoom) throws IOException {
        return true;
    }
}
