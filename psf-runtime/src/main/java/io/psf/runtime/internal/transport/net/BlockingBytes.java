package io.psf.runtime.internal.transport.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** The bytes of a connection that this side begins, until there is a channel. The methods block, for a limited time. */
final class BlockingBytes {
    private final SocketChannel socket;
    private final ByteWire wire;
    private final Timed timed;

    /** A socket in blocking mode whose reads end at a time. */
    static final class Timed implements ReadableByteChannel {
        private final SocketChannel socket;
        private final long deadline;

        Timed(SocketChannel socket, int millis) {
            this.socket = socket;
            this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            socket.socket().setSoTimeout((int) Math.max(1, left));
            byte[] bytes = new byte[into.remaining()];
            int n = socket.socket().getInputStream().read(bytes);
            into.put(bytes, 0, Math.max(0, n));
            return n;
        }

        @Override
        public boolean isOpen() {
            return socket.isOpen();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /**
     * Creates the bytes of a wire.
     *
     * @param wire over a socket in blocking mode
     * @param millis until the end of the negotiation
     */
    BlockingBytes(ByteWire wire, int millis) {
        this.wire = wire;
        this.socket = wire.socket();
        this.timed = new Timed(socket, millis);
    }

    ByteWire wire() {
        return wire;
    }

    void write(ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            wire.write(all);
        }
    }

    byte[] read(int n) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(n);
        while (bytes.hasRemaining()) {
            int some = wire instanceof TlsWire tls ? tls.read(bytes, timed) : timed.read(bytes);
            if (some < 0) {
                throw new EOFException("connection closed");
            }
        }
        return bytes.array();
    }
}
