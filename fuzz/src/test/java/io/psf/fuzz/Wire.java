package io.psf.fuzz;

import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A channel whose other end is the test: it keeps what is sent. */
public final class Wire implements Channel {
    private final BlockingQueue<byte[]> sent = new LinkedBlockingQueue<>();
    private volatile boolean open = true;

    /** The frames that were sent, oldest first. */
    public BlockingQueue<byte[]> sent() {
        return sent;
    }

    @Override
    public void send(Frame frame, long deadline) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        frame.release();
        sent.add(bytes);
    }

    @Override
    public void offer(Frame frame) {
        send(frame, 0);
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public String peer() {
        return "a fuzzer";
    }

    @Override
    public void close() {
        open = false;
    }
}
