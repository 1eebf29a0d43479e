package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** The negotiation of the wire of a connection that the peer has begun. No method blocks. Used by the leader. */
interface Handshake {
    /**
     * Reads what has arrived.
     *
     * @return the wire; null if more bytes have to arrive
     * @throws IOException if the connection has ended, or the peer does not agree
     */
    @Nullable
    ByteWire proceed() throws IOException;

    /** Sets what continues the handshake on the leader, after work on another thread. Any thread may run it. */
    default void onReady(Runnable proceed) {}

    /** Returns what the selector has to report for the handshake to continue, after {@link #proceed} returned null. */
    default int interest() {
        return SelectionKey.OP_READ;
    }

    /** Returns the number of bytes that have arrived. */
    int received();

    /** Returns the least number of bytes that have to arrive. */
    int expected();

    /**
     * Ends the handshake of a peer that keeps this side waiting. Returns the wire that an error can be sent over.
     *
     * @throws IOException if none can be sent
     */
    ByteWire giveUp() throws IOException;
}
