package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A channel that sends without blocking, and the receiver of the channel that it delegates to. Thread-safe. */
final class OfferingChannel implements Channel, Receiver {
    private final Receiver receiver;
    private final long bound;
    private final AtomicLong unsent = new AtomicLong();
    private final Channel inner;

    /** Connects. Frames may arrive before {@code inner} is set; their receipt does not use it. */
    OfferingChannel(Transport transport, String host, int port, Acceptor acceptor, long bound) {
        this.receiver = acceptor.accept(this);
        this.bound = bound;
        this.inner = transport.connect(host, port, channel -> this);
    }

    /**
     * Adds a frame to the unsent bytes before it is offered, so that it is counted before it is reported as sent.
     * Throws an exception if the channel is closed or the bound is exceeded.
     */
    private void take(int bytes) {
        if (!inner.isOpen()) {
            throw new PsException(Code.UNAVAILABLE, "connection to " + peer() + ": closed");
        }
        long before = unsent.getAndAdd(bytes);
        if (before > bound) {
            unsent.addAndGet(-bytes);
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "requests that " + peer() + " has not taken: " + before + " bytes (expected: at most " + bound
                            + ")");
        }
    }

    @Override
    public void send(Frame frame, long deadline) {
        try {
            take(frame.length());
        } catch (PsException e) {
            frame.release();
            throw e;
        }
        inner.offer(frame);
    }

    @Override
    public void offer(Frame frame) {
        unsent.addAndGet(frame.length());
        inner.offer(frame);
    }

    @Override
    public void offerWithNext(Frame frame) {
        unsent.addAndGet(frame.length());
        inner.offerWithNext(frame);
    }

    @Override
    public boolean send(Draft draft, long deadline) {
        int length = draft.length();
        take(length);
        return offered(draft, length);
    }

    @Override
    public boolean offer(Draft draft) {
        int length = draft.length();
        unsent.addAndGet(length);
        return offered(draft, length);
    }

    private boolean offered(Draft draft, int length) {
        boolean taken = false;
        try {
            taken = inner.offer(draft);
            return taken;
        } finally {
            if (!taken) {
                unsent.addAndGet(-length);
            }
        }
    }

    @Override
    public boolean mayRunHandlers() {
        return inner.mayRunHandlers();
    }

    @Override
    public void setReading(boolean reading) {
        inner.setReading(reading);
    }

    @Override
    public void mayTakeLong() {
        inner.mayTakeLong();
    }

    @Override
    public void keepAlive(long limitNanos) {
        inner.keepAlive(limitNanos);
    }

    @Override
    public void useChecksums() {
        inner.useChecksums();
    }

    @Override
    public void trust() {
        inner.trust();
    }

    @Override
    public boolean isOpen() {
        return inner.isOpen();
    }

    @Override
    public String peer() {
        return inner.peer();
    }

    @Override
    public @Nullable String certificate() {
        return inner.certificate();
    }

    @Override
    public String medium() {
        return inner.medium();
    }

    @Override
    public void close() {
        inner.close();
    }

    // Methods of the receiver of the inner channel.

    @Override
    public void received(Channel channel, Frame frame) {
        receiver.received(this, frame);
    }

    @Override
    public boolean takesLent() {
        return receiver.takesLent();
    }

    @Override
    public boolean admits(Channel channel, int length) {
        return receiver.admits(this, length);
    }

    @Override
    public void sent(Channel channel, long bytes) {
        unsent.addAndGet(-bytes);
        receiver.sent(this, bytes);
    }

    @Override
    public void closed(Channel channel, PsException cause) {
        receiver.closed(this, cause);
    }
}
