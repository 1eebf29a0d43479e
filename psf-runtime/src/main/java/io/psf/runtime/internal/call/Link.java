package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.PeerLog;
import io.psf.runtime.spi.transport.Receiver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The receiver of one of a client's channels. Thread-safe. */
final class Link implements Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);
    private static final PeerLog REFUSALS = new PeerLog(LOG::warn);

    private final Owner owner;
    /** The channel's number among the channels of the peer. Written before the peer is, and read after it. */
    private int epoch;
    /** Replaced when the session of another peer resumes over the channel; null until the channel is connected. */
    private volatile @Nullable Peer peer;
    /** Why the channel has closed; null while it is open. */
    private volatile @Nullable PsException cause;

    /** The side that has connected the channel. */
    interface Owner {
        /** Takes ownership of an answer, which has arrived over the peer's channel of an epoch. */
        void answered(@Nullable Peer peer, int epoch, Frame frame);

        /** Handles the end of a peer that is not connected to again. */
        void peerLost(Peer peer, PsException cause);

        /** Removes the link of a closed channel; false if the channel has no such link. */
        boolean remove(Channel channel, Link link);
    }

    Link(Owner owner) {
        this.owner = owner;
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

    /**
     * Sets the peer at the other end.
     *
     * @param epoch the channel's number among the channels of the peer
     */
    void setPeer(Peer peer, int epoch) {
        this.epoch = epoch;
        this.peer = peer;
    }

    @Override
    public void received(Channel channel, Frame frame) {
        channel.mayTakeLong(); // answers are not ordered, and callbacks are code of the caller
        Peer peer = this.peer;
        if (frame.kind() == Frame.Kind.ANSWER && (frame.call() != 0 || peer == null)) {
            owner.answered(peer, epoch, frame);
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
            owner.peerLost(peer, cause);
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
        if (owner.remove(channel, this) && lost != null && !lost.disconnect(channel)) {
            owner.peerLost(lost, new PsException(cause.code(), lost.name() + ": " + cause.detail()));
        }
    }
}
