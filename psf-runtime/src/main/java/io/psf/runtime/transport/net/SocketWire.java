package io.psf.runtime.transport.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A non-blocking socket. */
record SocketWire(SocketChannel socket) implements Wire {
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
    public void close() throws IOException {
        socket.close();
    }
}
