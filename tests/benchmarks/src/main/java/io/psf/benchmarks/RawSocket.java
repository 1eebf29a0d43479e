package io.psf.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One end of the floor's connection. Reads block or poll the socket. After some milliseconds without bytes, a polling
 * read blocks at a selector, so that the floor does not take a processor from psf while psf is measured.
 */
final class RawSocket implements AutoCloseable {
    private static final long POLLS_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final SocketChannel channel;
    private final boolean spins;
    private final Selector selector;

    RawSocket(SocketChannel channel, boolean spins) throws IOException {
        this.channel = channel;
        this.spins = spins;
        this.selector = Selector.open();
        if (spins) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }
    }

    boolean spins() {
        return spins;
    }

    /** Reads the available bytes. Blocks until at least one byte is available. */
    void read(ByteBuffer into) throws IOException {
        if (tryRead(into) > 0) {
            return;
        }
        long since = System.nanoTime();
        while (tryRead(into) == 0) {
            if (System.nanoTime() - since > POLLS_NANOS) {
                selector.select();
                selector.selectedKeys().clear();
            }
        }
    }

    /** Reads the available bytes; may read none if the socket is polled. */
    int tryRead(ByteBuffer into) throws IOException {
        int n = channel.read(into);
        if (n < 0) {
            throw new EOFException();
        }
        return n;
    }

    void readFully(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            read(into);
        }
    }

    /** Writes the bytes that fit; may write none if the socket is polled. */
    void tryWrite(ByteBuffer from) throws IOException {
        channel.write(from);
    }

    void writeFully(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
