package io.psf.runtime.internal.server;

import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import java.util.Set;

/** Accepts the connections of a node, and passes {@link Requests} what they receive. Thread-safe. */
public final class Dispatcher implements Acceptor, AutoCloseable {
    private final HostNode node;
    private final Connections connections;
    private final Requests requests;

    /**
     * Creates the dispatcher of a node, whose lanes end with it.
     *
     * @param pool provides the memory of refusals
     * @param handlers the functions of the node
     * @param openToStrangers the functions that a connection may call before its peer is identified
     */
    public Dispatcher(
            HostNode node, Connections connections, FramePool pool, Handlers handlers, Set<Integer> openToStrangers) {
        this.node = node;
        this.connections = connections;
        this.requests = new Requests(node, pool, new Router(node, handlers, openToStrangers));
    }

    @Override
    public Receiver accept(Channel channel) {
        return new ChannelReceiver(connections, requests);
    }

    @Override
    public boolean isBusy() {
        return node.hasBusyLane();
    }

    /** Runs the queued work, and ends the lanes. */
    @Override
    public void close() {
        connections.close();
        node.close();
    }
}
