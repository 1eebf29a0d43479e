package io.psf.runtime.net;

import io.psf.runtime.shm.SharedPipe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Shared memory, with a socket as the doorbell, and to know that the other side has ended. */
final class SharedWire implements Wire {
    private final SharedPipe pipe;
    private final SocketChannel doorbell;
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private final ByteBuffer rings = ByteBuffer.allocateDirect(64);
    private volatile boolean ended;

    SharedWire(SharedPipe pipe, SocketChannel doorbell) {
        this.pipe = pipe;
        this.doorbell = doorbell;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        boolean last = ended; // before looking: what came before the end is there then
        int n = pipe.read(into);
        if (n > 0 && pipe.writerToBeWoken()) {
            ring();
        }
        return n == 0 && last ? -1 : n;
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
            doorbell.write(one.clear()); // if there is no room, it has been rung often enough
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
    public boolean prepareToSleep() throws IOException {
        return pipe.prepareToSleep();
    }

    @Override
    public boolean prepareToWait() throws IOException {
        return pipe.prepareToWait();
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
