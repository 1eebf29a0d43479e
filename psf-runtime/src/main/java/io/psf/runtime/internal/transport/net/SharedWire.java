package io.psf.runtime.internal.transport.net;

import io.psf.runtime.internal.transport.shm.SharedPipe;
import io.psf.runtime.spi.transport.Draft;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Shared memory, with a socket as the doorbell. The end of the socket also shows that the other side has ended. */
final class SharedWire implements ByteWire {
    private final SharedPipe pipe;
    private final SocketChannel doorbell;
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private final ByteBuffer rings = ByteBuffer.allocateDirect(64);
    private final @Nullable String certificate;
    private volatile boolean ended;

    /**
     * Creates the wire of shared memory that both ends have opened.
     *
     * @param certificate the name of the peer, if TLS has proved it; else null
     */
    SharedWire(SharedPipe pipe, SocketChannel doorbell, @Nullable String certificate) {
        this.pipe = pipe;
        this.doorbell = doorbell;
        this.certificate = certificate;
    }

    @Override
    public @Nullable String certificate() {
        return certificate;
    }

    @Override
    public String medium() {
        return certificate == null ? "shared memory" : "shared memory, agreed to over TLS";
    }

    SharedPipe pipe() {
        return pipe;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int n = pipe.read(into);
        if (n > 0) {
            wakeWriter();
        }
        return n;
    }

    /** Gives the next bytes back to the other side. */
    void skip(int length) throws IOException {
        pipe.skip(length);
        wakeWriter();
    }

    private void wakeWriter() throws IOException {
        if (pipe.writerToBeWoken()) {
            ring();
        }
    }

    @Override
    public int longestDraft() {
        return pipe.mostWhole();
    }

    @Override
    public boolean write(Draft draft) throws IOException {
        int length = draft.length();
        ByteBuffer into = pipe.reserve(length);
        if (into == null) {
            return false;
        }
        try {
            if (draft.writeTo(into)) {
                pipe.commit(length);
                if (pipe.readerToBeWoken()) {
                    ring();
                }
            }
        } catch (InternalError e) {
            throw pipe.gone(e);
        }
        return true;
    }

    @Override
    public boolean hasCapacity(int length) {
        return pipe.hasCapacity(length);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int n = pipe.write(from);
        if (n > 0 && pipe.readerToBeWoken()) {
            ring();
        }
        return n;
    }

    private void ring() throws IOException {
        synchronized (one) {
            doorbell.write(one.clear()); // if the socket takes no byte, enough rings are in flight
        }
    }

    @Override
    public void rung() throws IOException {
        int n;
        do {
            n = doorbell.read(rings.clear());
        } while (n == rings.capacity());
        if (n < 0) {
            ended = true;
        }
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public boolean prepareToWait(int wanted) throws IOException {
        return pipe.prepareToWait(wanted);
    }

    @Override
    public SocketChannel socket() {
        return doorbell;
    }

    @Override
    public void close() throws IOException {
        doorbell.close();
    }
}
