package io.psf.fuzz;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A channel whose other end is the test: it keeps what is sent. */
public final class Wire implements Channel {
    private final BlockingQueue<byte[]> sent = new LinkedBlockingQueue<>();
    private volatile boolean open = true;
    private @Nullable Receiver receiver;

    /** Connects the channel. */
    Receiver accept(Acceptor acceptor) {
        Receiver accepted = receiver;
        if (accepted == null) {
            accepted = acceptor.accept(this);
            receiver = accepted;
        }
        return accepted;
    }

    /** Lets a frame arrive at a node, which accepts the channel with the first one. */
    void receive(Acceptor acceptor, Frame frame) {
        accept(acceptor).received(this, frame);
    }

    /** Lets a frame arrive; the channel is connected. */
    void receive(Frame frame) {
        Objects.requireNonNull(receiver).received(this, frame);
    }

    /** Ends the channel as a lost connection does. */
    void breakOff() {
        if (receiver != null) {
            receiver.closed(this, new PsException(PsException.Code.UNAVAILABLE, "connection closed"));
        }
    }

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
