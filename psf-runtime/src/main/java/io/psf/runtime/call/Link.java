package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.PeerLog;
import io.psf.runtime.transport.Receiver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The receiver of one of a client's channels. Thread-safe. */
final class Link implements Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);
    private static final PeerLog REFUSALS = new PeerLog(LOG::warn);

    private final Client client;
    /** Replaced when the session of another peer resumes over the channel; null until the channel is connected. */
    private volatile @Nullable Peer peer;
    /** Why the channel has closed; null while it is open. */
    private volatile @Nullable PsException cause;

    Link(Client client) {
        this.client = client;
    }

    /** Returns the peer at the other end; null until the channel is connected. */
    @Nullable
    Peer peer() {
        return peer;
    }

    /** Returns why the channel has closed; null while it is open. */
    @Nullable
    PsException cause() {
        return cause;
    }

    void setPeer(Peer peer) {
        this.peer = peer;
    }

    @Override
    public void received(Channel channel, Frame frame) {
        channel.mayTakeLong(); // answers are not ordered, and callbacks are code of the caller
        Peer peer = this.peer;
        if (frame.kind() == Frame.Kind.ANSWER && (frame.call() != 0 || peer == null)) {
            client.answered(peer, frame);
            return;
        }
        try {
            if (frame.kind() == Frame.Kind.ANSWER && peer != null) { // the peer refuses the connection, not a call
                refused(
                        peer,
                        channel,
                        new PsException(frame.status(), frame.reader(null).string()));
            }
        } finally {
            frame.release();
        }
    }

    private void refused(Peer peer, Channel channel, PsException cause) {
        if (peer.refuses()) {
            client.peerLost(peer, cause);
        } else {
            REFUSALS.line(peer.name() + " refuses a connection: " + cause.detail());
            channel.close(); // the peer is then connected to again
        }
    }

    @Override
    public boolean takesLent() {
        return true;
    }

    @Override
    public void closed(Channel channel, PsException cause) {
        this.cause = cause;
        Peer lost = peer;
        if (client.remove(channel, this) && lost != null && !lost.disconnect(channel)) {
            client.peerLost(lost, new PsException(cause.code(), lost.name() + ": " + cause.detail()));
        }
    }
}
