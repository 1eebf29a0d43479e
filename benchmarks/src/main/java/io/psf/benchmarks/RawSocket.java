package io.psf.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One end of the floor's connection. It blocks, or polls its socket again and again; after some milliseconds without
 * bytes it sleeps at a selector, so that it does not take a processor from psf in psf's turn.
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

    /** Reads what is there, at least a byte. */
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

    /** Reads what is there; nothing, perhaps, where it polls. */
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

    /** Writes what fits; nothing, perhaps, where it polls. */
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
