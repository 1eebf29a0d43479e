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

    /** The selector says that something has come. */
    default void rung() throws IOException {}

    /** Whether bytes come and go without the selector's knowledge, unless one prepares to sleep or wait first. */
    default boolean isPolled() {
        return false;
    }

    /**
     * The selector is told when there is something to read.
     *
     * @return false if there is something already
     */
    default boolean prepareToSleep() throws IOException {
        return true;
    }

    /**
     * The selector is told when there is room to write.
     *
     * @return false if there is some already
     */
    default boolean prepareToWait() throws IOException {
        return true;
    }
}
