package io.psf.runtime.internal.server;

import io.psf.api.PsException;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import org.jspecify.annotations.Nullable;

/** The receiver of one channel. Its connection is made by the first frame, and replaced when a session resumes. */
final class ChannelReceiver implements Receiver {
    private final Connections connections;
    private final Requests requests;
    private volatile @Nullable Connection connection;

    ChannelReceiver(Connections connections, Requests requests) {
        this.connections = connections;
        this.requests = requests;
    }

    /** Returns the connection of the channel; null if the channel has sent nothing. */
    @Nullable
    Connection connection() {
        return connection;
    }

    /** Sets the connection that the channel's frames are of. */
    void continueAs(Connection other) {
        connection = other;
    }

    @Override
    public void received(Channel channel, Frame frame) {
        Connection known = connection;
        requests.received(known == null ? connections.begin(channel, this) : known, frame);
    }

    @Override
    public boolean admits(Channel channel, int length) {
        Connection known = connection;
        return known == null || known.admits(length);
    }

    @Override
    public void sent(Channel channel, long bytes) {
        Connection known = connection;
        if (known != null) {
            known.sent(channel, bytes);
        }
    }

    @Override
    public void closed(Channel channel, PsException cause) {
        connections.closed(channel, this, cause);
    }
}
