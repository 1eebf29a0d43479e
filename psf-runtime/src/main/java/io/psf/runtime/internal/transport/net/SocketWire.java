package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A non-blocking socket.
 *
 * @param already the bytes that a handshake has read; the reader of the wire takes them first
 */
record SocketWire(SocketChannel socket, ByteBuffer already) implements ByteWire {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /** Creates the wire of a socket that nothing has been read from. */
    SocketWire(SocketChannel socket) {
        this(socket, NONE);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return socket.read(into);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return socket.write(from);
    }

    @Override
    public long write(ByteBuffer first, ByteBuffer second) throws IOException {
        return socket.write(new ByteBuffer[] {first, second});
    }

    @Override
    public ByteWire with(ByteBuffer read) {
        return new SocketWire(socket, read);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
