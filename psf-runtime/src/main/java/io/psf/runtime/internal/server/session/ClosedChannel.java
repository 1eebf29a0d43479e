package io.psf.runtime.internal.server.session;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;

/** The channel of a session whose peer has not connected yet: closed from the beginning. */
public final class ClosedChannel implements Channel {
    private final String peer;

    /**
     * Creates a closed channel.
     *
     * @param peer who may connect, for messages
     */
    public ClosedChannel(String peer) {
        this.peer = peer;
    }

    @Override
    public void send(Frame frame, long deadline) {
        frame.release();
        throw new PsException(PsException.Code.UNAVAILABLE, peer + ": not connected yet");
    }

    @Override
    public void offer(Frame frame) {
        frame.release();
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public void keepAlive(long limitNanos) {}

    @Override
    public void useChecksums() {}

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void close() {}
}
