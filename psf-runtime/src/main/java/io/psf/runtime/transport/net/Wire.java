package io.psf.runtime.transport.net;

import io.psf.runtime.transport.Draft;
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

    /**
     * Writes as much of two buffers, one after the other, as there is room for.
     *
     * @return how many bytes
     */
    default long write(ByteBuffer first, ByteBuffer second) throws IOException {
        int n = write(first);
        return first.hasRemaining() ? n : n + write(second);
    }

    void close() throws IOException;

    /** The longest draft that can be written; 0 for none. */
    default int longestDraft() {
        return 0;
    }

    /**
     * Writes a draft, whole, unless it is not to be sent after all.
     *
     * @return false if there is no room
     */
    default boolean write(Draft draft) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Whether there is room for a draft of that length, as near as a look can tell; for any thread. */
    default boolean hasRoom(int length) {
        return false;
    }

    /** What tells a selector that there is something to read, or room. */
    SocketChannel socket();

    /** The selector says that something has come. */
    default void rung() throws IOException {}

    /** Whether bytes come and go without the selector's knowledge, unless one prepares to sleep or to wait first. */
    default boolean isPolled() {
        return false;
    }

    /** True if the peer has closed, and the selector has nothing more to say. */
    default boolean hasEnded() {
        return false;
    }

    /**
     * The selector is told when there is room to write.
     *
     * @param wanted how much, in bytes
     * @return false if there is some already
     */
    default boolean prepareToWait(int wanted) throws IOException {
        return true;
    }
}
