package io.psf.runtime.internal.server;

import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.ClosedChannel;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.PeerLog;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of a node, their sessions, and the bound of their memory. Thread-safe. */
public final class Connections implements AutoCloseable, Metered {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private final PeerLog refused = new PeerLog(LOG::warn);
    private final PeerLog again = new PeerLog(LOG::info);
    private final HostNode node;
    private final FramePool pool;
    private final long connectionBound;
    private final Admission admission;
    private final Map<Channel, ChannelReceiver> receivers = new ConcurrentHashMap<>();
    private final Sessions sessions;
    private volatile Consumer<Connection> whenClosed = connection -> {};
    private volatile Presence presence = Presence.ALWAYS;
    private volatile boolean isEnding;
    /** Why the node serves no peer now; null if it serves. */
    private volatile @Nullable String suspended;
    /** Changed together with what each connection may call. */
    private volatile Permits permits = Permits.ALL;

    /**
     * Creates the connections of a node.
     *
     * @param connectionBound the maximum number of bytes of waiting requests, and of unsent answers, per connection
     */
    public Connections(HostNode node, FramePool pool, long connectionBound) {
        this.node = node;
        this.pool = pool;
        this.connectionBound = connectionBound;
        this.sessions = new Sessions(pool);
        node.measureWith(this);
        node.setKeptAnswers((tensor, slice) -> new SliceAnswers(sessions, tensor, slice));
        this.admission = new Admission(node.name(), pool, node::isIdle, this::isArriving, this::endThoseThatWait);
    }

    /** Sets the receiver of each connection that ends. */
    public void whenClosed(Consumer<Connection> receiver) {
        whenClosed = receiver;
    }

    /** Sets which nodes are members of the cluster: the sessions of other ones end. */
    public void setPresence(Presence presence) {
        this.presence = presence;
    }

    /** Sets what the peers may call, connected peers included. */
    public synchronized void setPermits(Permits now) {
        permits = now;
        sessions.all().forEach(each -> permit(each, each.member()));
        connections().forEach(each -> permit(each, each.member()));
    }

    /** Called under the lock, so that no connection has what another one was permitted before. */
    private void permit(Connection connection, @Nullable Member member) {
        if (member != null) {
            connection.rights().permit(permits.of(member, connection.rights().grant()));
        }
    }

    /** Refuses new sessions and guests from now on: the node is about to end. */
    public void refuseNew() {
        isEnding = true;
    }

    /**
     * Checks that the node accepts new sessions and guests.
     *
     * @throws PsException with {@code UNAVAILABLE} if it is about to end
     */
    public void requireAccepting() {
        if (isEnding) {
            throw new PsException(
                    Code.UNAVAILABLE,
                    "this server: about to end, accepts no new session (expected: a server that goes on)");
        }
    }

    /**
     * Serves no peer until {@link #serve}: closes all connections except the node's connections to itself. Sessions
     * remain. No answer leaves the node meanwhile.
     *
     * @param rank the rank of this node, a server
     * @param why for the peers that connect
     */
    public void suspend(int rank, String why) {
        suspended = why;
        receivers.forEach((channel, receiver) -> {
            Connection known = receiver.connection();
            if (known == null || !PeerLimits.isOf(new Member(Role.SERVER, rank, "", 0), known)) {
                channel.close();
            }
        });
    }

    /** Serves peers again. */
    public void serve() {
        suspended = null;
    }

    /**
     * Checks that the node serves its peers.
     *
     * @throws PsException with {@code UNAVAILABLE} if it is suspended: the peer has to try again
     */
    public void requireServing() {
        String why = suspended;
        if (why != null) {
            throw new PsException(Code.UNAVAILABLE, "this server: " + why);
        }
    }

    /**
     * Stops to read requests, or reads them again. Requests of other servers are read all the same: calls that have
     * begun there depend on them.
     */
    public void halt(boolean halted) {
        connections().forEach(each -> each.halt(halted));
    }

    /** True if every peer has its answers, and no request waits for its turn. */
    public boolean areSettled() {
        return connections().allMatch(Connection::isSettled);
    }

    @Override
    public void measure(Metrics to) {
        to.gauge("psf.connections", "connections", "connections of peers", receivers.size());
        to.gauge("psf.sessions", "sessions", "sessions of peers, which survive their connections", sessions.size());
        double seconds = admission.shortNanos() / 1e9;
        to.counter("psf.memory.full", "seconds", "time in which long requests waited for memory", seconds);
    }

    /** True if a long frame is being read. */
    private boolean isArriving() {
        return connections().anyMatch(Connection::isArriving);
    }

    /** Returns the connections that have sent a frame. */
    private Stream<Connection> connections() {
        return receivers.values().stream().map(ChannelReceiver::connection).filter(Objects::nonNull);
    }

    /**
     * Fails calls that hold memory and wait for other calls: calls that have not run, if there are any, else calls
     * whose handlers answer later.
     */
    private void endThoseThatWait() {
        if (isArriving()) {
            return; // they may wait for this frame
        }
        PsException why = new PsException(
                Code.RESOURCE_EXHAUSTED,
                "memory of the server for frames: " + pool.usedBytes() + " of " + pool.bound()
                        + " bytes are held by calls that wait for other calls (expected: less; await calls before the"
                        + " next ones are sent, use more slices, or raise PSF_MEMORY)");
        LOG.warn("ending calls that wait for other calls: {}", why.detail());
        if (connections().anyMatch(Connection::hasWaiting)) {
            node.refuseWaiting(why);
        } else {
            node.endHolding(why);
        }
    }

    /**
     * Sets the silence limit. From now on the channels of newly accepted, opened or resumed connections close after
     * this time without a frame.
     */
    public void setSilenceLimit(Duration limit) {
        sessions.setSilenceLimit(limit);
    }

    /** Lets sessions without a channel last for a limit, if it is longer than the usual one of a minute. */
    public void keepSessions(Duration limit) {
        sessions.keepDetached(Duration.ofNanos(Math.max(Sessions.DETACHED_NANOS, limit.toNanos())));
    }

    /**
     * Accepts a connection without a session: its calls end with it.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the peer, or all guests, have too many connections
     */
    public synchronized void accept(Connection connection, Member member) {
        requireUnidentified(connection);
        PeerLimits.requireRoom(
                member,
                connections().filter(each -> PeerLimits.isOf(member, each)).count());
        permit(connection, member);
        connection.identify(member);
        sessions.keepAlive(connection.channel());
    }

    /**
     * Gives a connection a session: its calls run once, and it survives its channel. Earlier sessions of the peer
     * without a channel end: it has not received the answers to their hellos, or has given them up.
     *
     * @param since the epoch in which the peer joined; 0 for a client
     * @param session a number that the peer has chosen
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the peer has too many connections
     */
    public void open(Connection connection, Member member, long since, long session) {
        sessions.abandoned(member).forEach(this::drop);
        begin(connection, member, since, session);
    }

    private synchronized void begin(Connection connection, Member member, long since, long session) {
        requireUnidentified(connection);
        PeerLimits.requireRoom(member, sessions.of(member));
        permit(connection, member);
        sessions.open(connection, member, since, session);
    }

    /** A second hello may have been accepted while the first one waited: its session would never end. */
    private static void requireUnidentified(Connection connection) {
        if (connection.member() != null) {
            throw new PsException(Code.BAD_REQUEST, "hello: a second one on this connection (expected: one)");
        }
    }

    /**
     * Makes a session of a member that has had one with a node before this one, and is to resume it.
     *
     * @param since the epoch in which the peer joined; 0 for a client
     * @param session the number of that session
     */
    public synchronized Connection restore(Member member, long since, long session) {
        Connection connection = new Connection(new ClosedChannel(member.toString()), pool, connectionBound, admission);
        permit(connection, member);
        sessions.open(connection, member, since, session);
        return connection;
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
        synchronized (this) {
            kept.rights().prove(fresh.rights().grant());
            permit(kept, member);
        }
        Channel old = sessions.move(kept, channel, number);
        ChannelReceiver receiver = receivers.get(channel);
        if (receiver != null) {
            receiver.continueAs(kept);
        }
        kept.runDeferred();
        receivers.remove(old);
        old.close();
        if (!channel.isOpen()) {
            detachOrEnd(channel, kept);
        }
        again.line(member + " is connected again");
    }

    /**
     * Fails deferred calls whose deadline has passed. Ends sessions that have had no channel for too long, whose member
     * is gone, or that their peer needs no more. Must be called periodically.
     */
    public void expire() {
        node.expire();
        admission.setConnections((int) Math.max(connections().count(), sessions.size()));
        connections().forEach(Connection::regulate); // their shares may have changed
        sessions.overdue(presence).forEach(this::drop);
    }

    /** Ends a connection, and its session if it has one. */
    public void drop(Connection connection) {
        end(connection);
        Channel channel = connection.channel();
        receivers.remove(channel);
        channel.close();
    }

    /** Makes the connection of a channel that has sent its first frame. */
    Connection begin(Channel channel, ChannelReceiver receiver) {
        Connection begun = new Connection(channel, pool, connectionBound, admission);
        receiver.continueAs(begun);
        receivers.put(channel, receiver);
        return begun;
    }

    /** Returns the connection of a channel; null if the channel has sent nothing. */
    public @Nullable Connection get(Channel channel) {
        ChannelReceiver receiver = receivers.get(channel);
        return receiver == null ? null : receiver.connection();
    }

    /** Removes a channel that has closed. */
    void closed(Channel channel, ChannelReceiver receiver, PsException cause) {
        if (cause.code() == Code.PROTOCOL) {
            refused.line("closed a connection: " + cause.detail());
        }
        Connection known = receiver.connection();
        if (receivers.remove(channel, receiver) && known != null) {
            detachOrEnd(channel, known);
        }
    }

    private void detachOrEnd(Channel channel, Connection connection) {
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
        whenClosed.accept(connection);
    }

    /** Ends the admission of frames. */
    @Override
    public void close() {
        admission.close();
    }
}
