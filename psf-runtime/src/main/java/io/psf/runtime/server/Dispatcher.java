package io.psf.runtime.server;

import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.call.Channel;
import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import io.psf.runtime.call.Receiver;
import io.psf.runtime.store.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the requests of every connection of a node: finds the function and the shard, and queues the call on its lane.
 * What is wrong with a request is answered to the one who sent it. Thread-safe.
 */
public final class Dispatcher implements Receiver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final FramePool pool;
    private final Handlers handlers;
    private final Set<Integer> openToStrangers;
    private final Consumer<Connection> onClosed;
    private final long connectionBound;
    private final Lane nodeLane;
    private final List<Lane> lanes = new ArrayList<>();
    private final HostNode node;
    private final Map<Channel, Connection> connections = new ConcurrentHashMap<>();

    /**
     * A dispatcher with its lanes.
     *
     * @param name for the names of threads
     * @param lanes threads for shards; 0 for a node without
     * @param checkpoints the directory for checkpoints; null for none
     * @param handlers what the node can do
     * @param openToStrangers the functions that a connection may call before it has said who it is
     * @param connectionBound the most bytes of waiting requests, and of unsent answers, that a connection may hold
     * @param onClosed told of each connection that closes
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
        this.nodeLane = new Lane(name + "-node");
        for (int i = 0; i < lanes; i++) {
            this.lanes.add(new Lane(name + "-lane-" + i));
        }
        this.node = new HostNode(role, store, nodeLane, this.lanes, checkpoints);
    }

    /** Runs something on the node's lane, later. */
    public void onNode(Runnable work) {
        nodeLane.execute(work);
    }

    /** Puts interceptors around every handler, the first one outermost. */
    public void intercept(List<HandlerInterceptor> interceptors) {
        node.setInterceptors(interceptors);
    }

    /** This node has got its rank. */
    public void setRank(int rank) {
        node.setRank(rank);
    }

    /** This node has learned who is there now. */
    public void setMembers(List<Member> members) {
        node.setMembers(members);
    }

    /** Ends deferred calls whose deadline has passed; to be called now and then. */
    public void expire() {
        node.expire();
    }

    @Override
    public void received(Channel channel, Frame frame) {
        Connection connection = connections.computeIfAbsent(channel, c -> new Connection(c, connectionBound));
        if (frame.kind() == Frame.Kind.CANCEL) {
            node.cancel(connection, frame.call());
            frame.release();
            return;
        }
        try {
            dispatch(connection, frame);
        } catch (PsException e) {
            LOG.debug("refused a request of {}: {}", channel.peer(), e.getMessage());
            connection.send(Frame.failure(pool, frame.function(), frame.slice(), frame.call(), e.code(), e.detail()));
            frame.release();
        }
    }

    private void dispatch(Connection connection, Frame frame) {
        if (frame.kind() != Frame.Kind.REQUEST) {
            throw new PsException(Code.PROTOCOL, "kind of frame: " + frame.kind() + " (expected: REQUEST)");
        }
        Binding<?, ?> binding = handlers.get(frame.function());
        if (binding == null) {
            // A stranger is not told what lies on the class path.
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
        requireSchema(info, frame);
        boolean onShard = binding.kind() == Binding.Kind.SHARD || binding.kind() == Binding.Kind.SHARD_LATER;
        HostShard shard = onShard ? shard(frame) : null;
        Lane lane = shard == null ? nodeLane : shard.lane();
        connection.requested(frame.bytes().capacity());
        Invocation invocation = new Invocation(connection, frame, binding, pool, lane, shard, node);
        lane.execute(invocation::arrive);
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
                    "layout of the tensor: another one (expected: ["
                            + shard.spec().rows() + ", "
                            + shard.spec().width() + "] with slice " + shard.range()
                            + ", as it was made last; the next call asks again)");
        }
        return shard;
    }

    @Override
    public void closed(Channel channel, PsException cause) {
        Connection connection = connections.remove(channel);
        if (cause.code() == Code.PROTOCOL) {
            LOG.warn("closed a connection: {}", cause.detail());
        }
        if (connection != null) {
            connection.close();
            node.forget(connection);
            onClosed.accept(connection);
        }
    }

    /** Runs what has come, and ends the lanes. */
    @Override
    public void close() {
        lanes.forEach(Lane::close);
        nodeLane.close();
    }
}
