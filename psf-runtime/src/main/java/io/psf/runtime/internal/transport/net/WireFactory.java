package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Makes the wires of connections, before a channel exists. Thread-safe. */
interface WireFactory extends AutoCloseable {
    /** Opens sockets to one peer. */
    @FunctionalInterface
    interface Sockets {
        /** Connects a socket, in blocking mode. Blocks. */
        SocketChannel open() throws IOException;
    }

    /**
     * Makes the wire of a connection that this side begins. Blocks until the peer has agreed.
     *
     * @param sockets opens a socket; more than once if the peer does not agree to the first offer
     * @param host the peer, as the user names it
     * @throws IOException if the peer does not agree
     */
    ByteWire connect(Sockets sockets, String host, int port) throws IOException;

    /**
     * Begins the handshake on a connection that the peer has begun.
     *
     * @param socket in non-blocking mode
     */
    Handshake accept(SocketChannel socket) throws IOException;

    /** Ends the factory's threads, if it has some. Does not block. */
    @Override
    default void close() {}
}
