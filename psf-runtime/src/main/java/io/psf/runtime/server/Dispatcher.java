package io.psf.runtime.server;

import io.psf.api.Gauge;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.RequestListener;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.session.Admission;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.server.session.PeerLimits;
import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.PeerLog;
import io.psf.runtime.transport.Receiver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts the connections of a node, and keeps their sessions and the bound of their memory. {@link Requests} gets what
 * they receive. Thread-safe.
 */
public final class Dispatcher implements Acceptor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final PeerLog refused = new PeerLog(LOG::warn);
    private final PeerLog again = new PeerLog(LOG::info);
    private final FramePool pool;
    private final Consumer<Connection> onClosed;
    private final long connectionBound;
    private final HostNode node;
    private final Admission admission;
    private final Map<Channel, Inbound> inbounds = new ConcurrentHashMap<>();
    private final Sessions sessions = new Sessions();
    private final Requests requests;

    /**
     * Creates the dispatcher of a node, whose lanes end with it.
     *
     * @param handlers the functions of the node
     * @param openToStrangers the functions that a connection may call before its peer is identified
     * @param connectionBound the maximum number of bytes of waiting requests, and of unsent answers, per connection
     * @param onClosed receives each connection that closes
     */
    public Dispatcher(
            HostNode node,
            FramePool pool,
            Handlers handlers,
            Set<Integer> openToStrangers,
            long connectionBound,
            Consumer<Connection> onClosed) {
        this.node = node;
        this.pool = pool;
        this.requests = new Requests(node, pool, new Router(node, pool, handlers, openToStrangers));
        this.connectionBound = connectionBound;
        this.onClosed = onClosed;
        this.admission = new Admission(node.name(), pool, node::isIdle, this::isArriving, this::endThoseThatWait);
    }

    /** True if a long frame is being read. */
    private boolean isArriving() {
        return connections().anyMatch(Connection::isArriving);
    }

    /** Returns the connections that have sent a frame. */
    private Stream<Connection> connections() {
        return inbounds.values().stream().map(inbound -> inbound.connection).filter(Objects::nonNull);
    }

    /**
     * Fails calls that hold memory and wait for other calls: those that have not run, if there are any, else those
     * whose handlers answer later.
     */
    private void endThoseThatWait() {
        if (isArriving()) {
            return; // the frame may be one that they wait for
        }
        PsException why = new PsException(
                Code.RESOURCE_EXHAUSTED,
                "memory of the server for frames: " + pool.usedBytes() + " of " + pool.bound()
                        + " bytes are held by calls that wait for other calls (expected: less; await calls before the"
                        + " next ones are sent, use more slices, or set PSF_MEMORY)");
        LOG.warn("ending calls that wait for other calls: {}", why.detail());
        if (connections().anyMatch(Connection::hasWaiting)) {
            node.refuseWaiting(why);
        } else {
            node.endHolding(why);
        }
    }

    /** Returns what can be read of the node at any time. */
    public List<Gauge> gauges() {
        return List.of(
                new Gauge("psf.members", "nodes", () -> node.members().size()),
                new Gauge("psf.connections", "connections", inbounds::size),
                new Gauge("psf.sessions", "sessions", sessions::size),
                new Gauge("psf.lanes", "lanes", () -> node.held().lanes() + 1), // and that of the node
                new Gauge(
                        "psf.lanes.depth",
                        "pieces of work",
                        () -> node.held().depth() + node.lane().depth()),
                new Gauge("psf.calls.deferred", "calls", node.deferred()::size),
                new Gauge("psf.shards.waiting", "shards", node.deferred()::shards));
    }

    /** Queues work on the node's lane. */
    public void onNode(Runnable work) {
        node.lane().execute(work);
    }

    /** Sets interceptors around every handler; the first one is the outermost. */
    public void intercept(List<HandlerInterceptor> interceptors) {
        node.setInterceptors(interceptors);
    }

    /** Adds a listener to the requests of this node. */
    public void listen(RequestListener listener) {
        node.listen(listener);
    }

    /** Sets the outgoing calls, so that handlers can make calls. */
    public void setOutgoing(Outgoing outgoing) {
        node.setOutgoing(outgoing);
    }

    /** Sets the rank that this node has received. */
    public void setRank(int rank) {
        node.setRank(rank);
    }

    /**
     * Sets the silence limit. From now on the channels of newly accepted, opened or resumed connections close after
     * this time without a frame.
     */
    public void setSilenceLimit(Duration limit) {
        sessions.setSilenceLimit(limit);
    }

    /**
     * Accepts a connection without a session: its calls end with it.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the peer, or all guests, have too many connections
     */
    public synchronized void accept(Connection connection, Member member) {
        PeerLimits.requireRoom(member, connections().toList());
        connection.identify(member);
        sessions.keepAlive(connection.channel());
    }

    /** Sets the current members of the cluster. */
    public void setMembers(List<Member> members) {
        node.setMembers(members);
    }

    /**
     * Fails deferred calls whose deadline has passed. Ends sessions that have had no channel for too long or whose
     * member is gone. Must be called periodically.
     */
    public void expire() {
        node.expire();
        admission.setConnections((int) connections().count());
        connections().forEach(Connection::regulate); // their shares may have changed
        sessions.overdue(node.members()).forEach(this::drop);
    }

    /** Ends a connection, and its session if it has one. */
    public void drop(Connection connection) {
        end(connection);
        Channel channel = connection.channel();
        inbounds.remove(channel);
        channel.close();
    }

    /**
     * Gives a connection a session: its calls run once, and it survives its channel.
     *
     * @param session a number that the peer has chosen
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the peer has too many connections
     */
    public synchronized void open(Connection connection, Member member, long session) {
        PeerLimits.requireRoom(member, sessions.all());
        sessions.open(connection, member, session);
    }

    /**
     * Moves a session to the channel of this connection.
     *
     * @param number the channel's number in the session
     * @throws PsException with {@code CLOSED} if this node does not know the session, or has ended it; with {@code
     *     UNAVAILABLE} if the session has moved to a later channel
     */
    public void resume(Connection fresh, Member member, long session, int number) {
        Connection kept = sessions.require(member, session);
        Channel channel = fresh.channel();
        Channel old = sessions.move(kept, channel, number);
        Inbound inbound = inbounds.get(channel);
        if (inbound != null) {
            inbound.connection = kept;
        }
        kept.runDeferred();
        inbounds.remove(old);
        old.close();
        if (!channel.isOpen()) {
            closed(channel, kept);
        }
        again.line(member + " is connected again");
    }

    @Override
    public Receiver accept(Channel channel) {
        return new Inbound();
    }

    /** The receiver of one channel. Its connection is made by the first frame, and replaced when a session resumes. */
    private final class Inbound implements Receiver {
        private volatile @Nullable Connection connection;

        @Override
        public void received(Channel channel, Frame frame) {
            Connection known = connection;
            requests.received(known == null ? begin(channel) : known, frame);
        }

        private Connection begin(Channel channel) {
            Connection begun = new Connection(channel, pool, connectionBound, admission);
            connection = begun;
            inbounds.put(channel, this);
            return begun;
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
            if (cause.code() == Code.PROTOCOL) {
                refused.line("closed a connection: " + cause.detail());
            }
            Connection known = connection;
            if (inbounds.remove(channel, this) && known != null) {
                Dispatcher.this.closed(channel, known);
            }
        }
    }

    @Override
    public boolean isBusy() {
        return node.hasBusyLane();
    }

    /** The connection of a channel; null if the channel has sent nothing. */
    @Nullable
    Connection connection(Channel channel) {
        Inbound inbound = inbounds.get(channel);
        return inbound == null ? null : inbound.connection;
    }

    private void closed(Channel channel, Connection connection) {
        if (connection.hasSession()) {
            connection.detach(channel);
        } else {
            end(connection);
        }
    }

    private void end(Connection connection) {
        if (connection.hasSession()) {
            sessions.remove(connection.session());
        }
        connection.close();
        node.forget(connection);
        onClosed.accept(connection);
    }

    /** Runs the queued work, and ends the lanes. */
    @Override
    public void close() {
        admission.close();
        node.close();
    }
}
