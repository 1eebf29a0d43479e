package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.PeerLog;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that a peer has begun: its handshake, and then its channel. The leader runs it whenever bytes have
 * arrived, until there is a channel.
 */
final class Accepted implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Accepted.class);
    private static final PeerLog REFUSED = new PeerLog(LOG::warn);

    /** Makes the channel of a connection. */
    @FunctionalInterface
    interface Channels {
        WireChannel channel(ByteWire wire, RemoteEnd peer) throws IOException;
    }

    private final SocketChannel socket;
    private final RemoteEnd peer;
    private final Handshake handshake;
    private final Channels channels;
    private final FailureLog failures;
    /** Null during the handshake. Written by the leader. */
    private volatile @Nullable WireChannel channel;

    private volatile boolean closed;
    /** Null until the selector polls the socket. Accessed by the leader. */
    private @Nullable SelectionKey key;

    Accepted(SocketChannel socket, RemoteEnd peer, Handshake handshake, Channels channels, FailureLog failures) {
        this.socket = socket;
        this.peer = peer;
        this.handshake = handshake;
        this.channels = channels;
        this.failures = failures;
    }

    /** Sets the selection key of the socket. On the leader. */
    void registered(SelectionKey with) {
        key = with;
    }

    /** Continues the handshake. */
    @Override
    public void run() {
        if (channel != null || closed) {
            return;
        }
        try {
            ByteWire wire = handshake.proceed();
            if (wire != null) {
                begin(wire);
            } else if (key != null && key.interestOps() != handshake.interest()) {
                key.interestOps(handshake.interest());
            }
        } catch (CancelledKeyException e) {
            LOG.trace("closed meanwhile", e);
        } catch (IOException e) {
            failed(e);
        } catch (RuntimeException | Error e) { // for example no memory
            failures.report("the handshake with " + peer.name(), e);
            close();
        }
    }

    private void begin(ByteWire wire) throws IOException {
        WireChannel begun = channels.channel(wire, peer);
        channel = begun;
        if (closed) {
            begun.close();
        } else {
            begun.resumeReading().run(); // the handshake may have read a part of its frames
        }
    }

    /**
     * Ends a handshake that takes too long: its channel refuses the peer. Called at intervals, on the leader.
     *
     * @param now the time of the reactor's clock
     */
    void check(long now) {
        if (channel != null || closed) {
            return;
        }
        peer.watch().note(now, handshake.received(), 0, true, true);
        if (peer.watch().overdue(handshake.received(), handshake.expected()) != null) {
            try {
                begin(handshake.giveUp());
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    private void failed(IOException e) {
        if (e instanceof TlsFailure) {
            REFUSED.line("connection from " + peer.name() + ": " + e.getMessage());
        } else {
            LOG.debug("handshake with {}: {}", peer.name(), e.toString());
        }
        close();
    }

    /** True if the peer has not identified itself. */
    boolean isStrange() {
        return isOpen() && peer.watch().isStrange();
    }

    /** True if the connection can be closed without loss. */
    boolean isIdleStranger() {
        return peer.watch().isIdleStranger();
    }

    boolean isOpen() {
        WireChannel begun = channel;
        return begun == null ? !closed : begun.isOpen();
    }

    void close(PsException why) {
        closed = true;
        WireChannel begun = channel;
        if (begun != null) {
            begun.close(why);
            return;
        }
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}: {}", peer.name(), e.toString());
        }
    }

    void close() {
        close(new PsException(PsException.Code.UNAVAILABLE, "connection closed"));
    }
}
