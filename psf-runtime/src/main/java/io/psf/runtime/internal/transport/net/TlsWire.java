package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.TlsEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;

/** A non-blocking socket with TLS, after the handshake. */
final class TlsWire implements ByteWire {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final SocketChannel socket;
    private final String certificate;
    private final TlsReader reader;
    private final TlsWriter writer;
    private ByteBuffer already = NONE;

    /**
     * Creates the wire of a connection.
     *
     * @param engine after its handshake
     * @param received encrypted bytes behind the handshake's bytes
     */
    TlsWire(SocketChannel socket, SSLEngine engine, TlsEngines engines, ByteBuffer received) throws IOException {
        this.socket = socket;
        this.certificate = TlsEngines.peerName(engine);
        this.reader = new TlsReader(engine, engines, received);
        this.writer = new TlsWriter(engine, engines);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return reader.read(into, socket);
    }

    /** Reads as {@link #read(ByteBuffer)} does, in the way of another channel of the same socket. */
    int read(ByteBuffer into, ReadableByteChannel from) throws IOException {
        return reader.read(into, from);
    }

    @Override
    public boolean holdsBytes() {
        return reader.holdsBytes();
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return (int) write(from, NONE);
    }

    @Override
    public long write(ByteBuffer first, ByteBuffer second) throws IOException {
        try {
            return writer.write(first, second, socket);
        } catch (IOException e) {
            // A peer that refuses the certificate says so and closes: its reason is still to be read.
            if (reader.hasBegun() || !socket.isOpen()) {
                throw e;
            }
            return 0;
        }
    }

    @Override
    public String certificate() {
        return certificate;
    }

    @Override
    public ByteWire with(ByteBuffer read) {
        already = read;
        return this;
    }

    @Override
    public ByteBuffer already() {
        return already;
    }

    @Override
    public SocketChannel socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        if (!socket.isBlocking()) {
            writer.end(socket);
        }
        socket.close();
    }
}
