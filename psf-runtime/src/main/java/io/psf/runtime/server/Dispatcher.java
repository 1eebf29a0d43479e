package io.psf.runtime.server;

import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.session.Admission;
import io.psf.runtime.server.session.CallRecord;
import io.psf.runtime.server.session.Connection;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import io.psf.runtime.transport.Receiver;
import io.psf.runtime.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the requests of every connection of a node: finds the function and the shard, and queues the call on the
 * shard's lane. An invalid request is answered to its sender with an error. Thread-safe.
 */
public final class Dispatcher implements Acceptor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** How long a session without a channel waits for its peer to reconnect. */
    private static final long SESSION_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final FramePool pool;
    private final Handlers handlers;
    private final Set<Integer> openToStrangers;
    private final Consumer<Connection> onClosed;
    private final long connectionBound;
    private final Lane nodeLane;
    private final List<Lane> lanes = new ArrayList<>();
    private final HostNode node;
    private final Admission admission;
    private final Map<Channel, Inbound> inbounds = new ConcurrentHashMap<>();
    private final Map<Long, Connection> sessions = new ConcurrentHashMap<>();
    /** How long the peer of a session may be silent, in nanoseconds; 0 for no limit. */
    private volatile long silenceNanos;

    /**
     * Creates a dispatcher and its lanes.
     *
     * @param name prefix of the threads' names
     * @param lanes the number of threads for shards; 0 for a node without shards
     * @param checkpoints the directory for checkpoints; null for none
     * @param handlers the functions of the node
     * @param openToStrangers the functions that a connection may call before its peer is identified
     * @param connectionBound the maximum number of bytes of waiting requests, and of unsent answers, per connection
     * @param onClosed receives each connection that closes
     */
    public Dispatcher(
            String name,
            Role role,
            int lanes,
            Store store,
            @Nullable Path checkpoints,
            FramePool pool,
            Handlers handlers,
            Set<Integer> openToStrangers,
            long connectionBound,
            Consumer<Connection> onClosed) {
        this.pool = pool;
        this.handlers = handlers;
        this.openToStrangers = Set.copyOf(openToStrangers);
        this.connectionBound = connectionBound;
        this.onClosed = onClosed;
        this.nodeLane = new Lane(name + "-node", pool);
        for (int i = 0; i < lanes; i++) {
            this.lanes.add(new Lane(name + "-lane-" + i, pool));
        }
        this.node = new HostNode(role, store, nodeLane, this.lanes, checkpoints);
        this.admission = new Admission(name, pool, this::isIdle, this::isArriving, this::endThoseThatWait);
    }

    /** True if no lane has work. */
    private boolean isIdle() {
        return nodeLane.isIdle() && !isBusy();
    }

    /** True if a long frame is being read. */
    private boolean isArriving() {
        return connections().anyMatch(Connection::isArriving);
    }

    /** The connections that have sent something. */
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

    /** Queues work on the node's lane. */
    public void onNode(Runnable work) {
        nodeLane.execute(work);
    }

    /** Sets interceptors around every handler; the first one is the outermost. */
    public void intercept(List<HandlerInterceptor> interceptors) {
        node.setInterceptors(interceptors);
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
        silenceNanos = limit.toNanos();
    }

    /** Accepts a connection without a session: its calls end with it. */
    public void accept(Connection connection, Member member) {
        connection.identify(member);
        keepAlive(connection.channel());
    }

    private void keepAlive(Channel channel) {
        if (silenceNanos > 0) {
            channel.keepAlive(silenceNanos);
        }
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
        for (Connection connection : sessions.values()) {
            if (!isThere(connection.member()) || connection.isDetachedFor(SESSION_NANOS)) {
                drop(connection);
            }
        }
    }

    /** Ends a connection, and its session if it has one. */
    public void drop(Connection connection) {
        end(connection);
        Channel channel = connection.channel();
        inbounds.remove(channel);
        channel.close();
    }

    private boolean isThere(@Nullable Member other) {
        return other != null
                && node.members().stream().anyMatch(m -> m.role() == other.role() && m.rank() == other.rank());
    }

    /**
     * Gives a connection a session: its calls run once, and it survives its channel.
     *
     * @param session a number that the peer has chosen
     */
    public void open(Connection connection, Member member, long session) {
        if (session == 0 || sessions.putIfAbsent(session, connection) != null) {
            throw new PsException(Code.BAD_REQUEST, "session: in use already (expected: a number of its own, not 0)");
        }
        connection.open(session);
        connection.identify(member);
        Channel channel = connection.channel();
        keepAlive(channel);
        if (!channel.isOpen()) { // closed while its hello waited: no other thread detaches it
            connection.detach(channel);
        }
    }

    /**
     * Moves a session to the channel of this connection.
     *
     * @param number the channel's number in the session
     * @throws PsException with {@code CLOSED} if this node does not know the session, or has ended it; with {@code
     *     UNAVAILABLE} if the session has moved to a later channel
     */
    public void resume(Connection fresh, Member member, long session, int number) {
        Connection kept = sessions.get(session);
        if (kept == null || !member.equals(kept.member())) {
            throw new PsException(
                    Code.CLOSED,
                    "session: unknown (expected: one whose connection broke within the last "
                            + TimeUnit.NANOSECONDS.toSeconds(SESSION_NANOS) + " s)");
        }
        Channel channel = fresh.channel();
        Channel old = kept.moveTo(channel, number);
        if (old == null && !kept.isOpen()) {
            throw new PsException(Code.CLOSED, "session: ended (expected: one that its worker has not left)");
        } else if (old == null) {
            throw new PsException(
                    Code.UNAVAILABLE, "connection " + number + " of a session: late (expected: a later one)");
        }
        keepAlive(channel);
        Inbound inbound = inbounds.get(channel);
        if (inbound != null) {
            inbound.connection = kept;
        }
        kept.runStalled();
        inbounds.remove(old);
        old.close();
        if (!channel.isOpen()) {
            closed(channel, kept);
        }
        LOG.info("{} is connected again", member);
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
            Dispatcher.this.received(known == null ? begin(channel) : known, frame);
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
                LOG.warn("closed a connection: {}", cause.detail());
            }
            Connection known = connection;
            if (inbounds.remove(channel, this) && known != null) {
                Dispatcher.this.closed(channel, known);
            }
        }
    }

    private void received(Connection connection, Frame frame) {
        connection.arrived();
        switch (frame.kind()) {
            case REQUEST -> request(connection, frame);
            case CHAIN -> chain(connection, frame);
            case DONE -> done(connection, frame);
            default -> {
                PsException e =
                        new PsException(Code.PROTOCOL, "kind of frame: " + frame.kind() + " (expected: REQUEST)");
                refuse(connection, frame, e);
            }
        }
    }

    @Override
    public boolean isBusy() {
        for (int i = 0; i < lanes.size(); i++) { // called on every spin iteration: no garbage
            if (!lanes.get(i).isIdle()) {
                return true;
            }
        }
        return false;
    }

    /** The connection of a channel; null if the channel has sent nothing. */
    @Nullable
    Connection connection(Channel channel) {
        Inbound inbound = inbounds.get(channel);
        return inbound == null ? null : inbound.connection;
    }

    private void refuse(Connection connection, Frame frame, PsException why) {
        LOG.debug("refused a request of {}: {}", connection.channel().peer(), why.getMessage());
        connection.send(Frames.failure(pool, frame.function(), frame.slice(), frame.call(), why.code(), why.detail()));
        frame.release();
    }

    private void done(Connection connection, Frame frame) {
        try {
            connection.answers().doneBelow(frame.call()).forEach(call -> node.cancel(connection, call));
            for (long call : frame.reader(null).longs()) {
                if (!connection.answers().done(call)) {
                    node.cancel(connection, call);
                }
            }
        } catch (PsException e) {
            LOG.debug("not understood, from {}: {}", connection.channel().peer(), e.getMessage());
        } finally {
            frame.release();
        }
    }

    private void request(Connection connection, Frame frame) {
        Invocation invocation;
        try {
            invocation = invocation(connection, frame, false, null);
            if (answerFromMemory(invocation) != invocation.record()) {
                return;
            }
        } catch (PsException e) {
            refuse(connection, frame, e);
            return;
        }
        run(connection, invocation, invocation.isQuick(), invocation.lane(), frame.priority());
    }

    /** Runs a turn on this thread if it is quick and its lane is idle; otherwise queues it. */
    private static void run(Connection connection, Lane.Turn turn, boolean isQuick, Lane lane, int priority) {
        Channel channel = connection.channel();
        if (!isQuick || !channel.mayRunHandlers() || !lane.runHere(turn, channel)) {
            lane.execute(turn, priority);
        }
    }

    /** Queues the requests of a chain as one turn. If a request is refused, those behind it are refused as well. */
    private void chain(Connection connection, Frame frame) {
        List<Frame> requests;
        try {
            requests = frame.requests();
        } catch (PsException e) {
            refuse(connection, frame, e);
            return;
        }
        List<Invocation> run = new ArrayList<>();
        int priority = Byte.MIN_VALUE;
        CallRecord before = null;
        Lane lane = null;
        PsException refused = null;
        for (Frame request : requests) {
            try {
                if (refused != null) {
                    throw refused;
                }
                Invocation invocation = invocation(connection, request, true, before);
                lane = sameLane(lane, invocation);
                before = answerFromMemory(invocation);
                if (before == invocation.record()) {
                    run.add(invocation);
                    priority = Math.max(priority, request.priority());
                }
            } catch (PsException e) {
                refuse(connection, request, e);
                refused = Invocation.afterFailed(e);
            }
        }
        if (!run.isEmpty()) {
            boolean isQuick = run.stream().allMatch(Invocation::isQuick);
            run(connection, new Chained(run), isQuick, run.get(0).lane(), priority);
        }
    }

    /**
     * Prevents a second run of a call that has arrived before.
     *
     * @return the record of the request that runs: of this one if it is new, else of the earlier one
     */
    private @Nullable CallRecord answerFromMemory(Invocation invocation) {
        Connection connection = invocation.connection();
        CallRecord record = invocation.record();
        CallRecord known =
                record == null || !invocation.isRemembered() ? null : connection.answers().begin(record);
        if (known == null) {
            invocation.queued();
            return record;
        }
        Frame answer = connection.answers().answer(known);
        if (answer != null) {
            connection.send(answer);
        }
        invocation.discard();
        return known;
    }

    private Invocation invocation(
            Connection connection, Frame frame, boolean isChained, @Nullable CallRecord before) {
        Binding<?, ?> binding = handlers.get(frame.function());
        if (binding == null) {
            // An unidentified peer does not receive the contents of the class path.
            throw new PsException(
                    Code.UNKNOWN_FUNCTION,
                    "function number: 0x" + Integer.toHexString(frame.function())
                            + " (expected: one that this node has a handler of"
                            + (connection.member() == null ? ")" : "; it searched " + handlers.searched() + ")"));
        }
        FunctionInfo info = binding.function().info();
        if (connection.member() == null && !openToStrangers.contains(info.id())) {
            throw new PsException(Code.PROTOCOL, "call of \"" + info.name() + "\" before the hello of the connection");
        }
        requireSchema(handlers.as(frame.function(), info), frame);
        boolean onShard = binding.kind() == Binding.Kind.SHARD || binding.kind() == Binding.Kind.SHARD_LATER;
        HostShard shard = onShard ? shard(frame) : null;
        Lane lane = shard == null ? nodeLane : shard.lane();
        return new Invocation(connection, frame, binding, pool, lane, shard, node, isChained, before);
    }

    /** Checks that all requests of a chain run on one lane. */
    private static Lane sameLane(@Nullable Lane before, Invocation invocation) {
        if (before != null && before != invocation.lane()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "place of \"" + invocation.function().name()
                            + "\": another lane than that of the call before it in the chain"
                            + " (expected: the same tensor, tensors beside each other, or nodes)");
        }
        return invocation.lane();
    }

    private static void requireSchema(FunctionInfo info, Frame frame) {
        int version = frame.version();
        boolean agrees = version > info.version() // a newer peer compares when it connects
                || version >= 1 && frame.fingerprint() == info.fingerprint(version);
        if (!agrees) {
            throw new PsException(
                    Code.SCHEMA_MISMATCH,
                    "schema of \"" + info.name() + "\": version " + version + ", fingerprint 0x"
                            + Integer.toHexString(frame.fingerprint()) + " (expected: version " + info.version()
                            + ", fingerprint 0x" + Integer.toHexString(info.fingerprint()) + ", " + info.schema()
                            + ")");
        }
    }

    private HostShard shard(Frame frame) {
        HostShard shard = node.shard(frame.tensor(), frame.slice());
        if (shard == null) {
            throw node.has(frame.tensor())
                    ? new PsException(
                            Code.STALE_LAYOUT,
                            "slice " + frame.slice()
                                    + " (expected: one that this server owns; the next call asks again)")
                    : new PsException(Code.UNKNOWN_TENSOR, "the tensor has not been initialized on this server");
        }
        if (shard.stamp() != frame.layout()) {
            throw new PsException(
                    Code.STALE_LAYOUT,
                    "layout of the tensor: another one (expected: "
                            + shard.spec().shape() + " with slice " + shard.range()
                            + ", as it was made last; the next call asks again)");
        }
        return shard;
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
        lanes.forEach(Lane::close);
        nodeLane.close();
        node.abandon();
    }
}
