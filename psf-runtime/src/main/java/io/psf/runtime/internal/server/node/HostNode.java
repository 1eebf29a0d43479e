package io.psf.runtime.internal.server.node;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.MemoryUse;
import io.psf.api.spi.NodeNumbers;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.internal.server.invocation.CallEnvironment;
import io.psf.runtime.internal.server.invocation.CallTarget;
import io.psf.runtime.internal.server.invocation.DeferredCalls;
import io.psf.runtime.internal.server.invocation.HandlerCost;
import io.psf.runtime.internal.server.invocation.Outgoing;
import io.psf.runtime.internal.server.invocation.Serving;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.spi.transport.FramePool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server or the scheduler, as its runtime uses it: its lanes, its shards, and the events that concern all of them.
 */
public final class HostNode implements CallTarget, Metered {
    private final String name;
    private final NodeFacts facts;
    private final Lane lane;
    /** The lanes of shards, and the node's lane. */
    private final List<Lane> lanes;

    private final CallEnvironment environment;
    private final NodeShards shards;
    private final NodeContext context;
    private final NodeMeter meter;

    /**
     * Creates a node of lanes that exist.
     *
     * @param name prefix of the threads' names
     * @param placements the kinds of shards
     * @param lane runs what concerns the whole node
     * @param lanes run the calls on shards; empty for a node without shards
     * @param checkpoints the directory for checkpoints; null for none
     */
    public HostNode(
            String name,
            Role role,
            Placements placements,
            Lane lane,
            List<Lane> lanes,
            @Nullable CheckpointStore checkpoints) {
        this.name = name;
        this.facts = new NodeFacts(role, checkpoints);
        this.lane = lane;
        this.lanes = Stream.concat(lanes.stream(), Stream.of(lane)).toList();
        this.environment = new CallEnvironment(lane.pool(), facts, this::isOnLane);
        this.shards = new NodeShards(placements, lanes, facts, environment);
        this.meter = new NodeMeter(this.lanes, this::measured);
        this.context = new NodeContext(lane, shards, meter);
        meter.add(this);
    }

    /**
     * Creates a node and starts its lanes.
     *
     * @param name prefix of the threads' names
     * @param lanes the number of threads for shards; 0 for a node without shards
     * @param placements the kinds of shards
     * @param checkpoints the directory for checkpoints; null for none
     * @param pool provides the scratch memory of handlers
     */
    public static HostNode start(
            String name,
            Role role,
            int lanes,
            Placements placements,
            @Nullable CheckpointStore checkpoints,
            FramePool pool) {
        List<Lane> all = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            all.add(new Lane(name + "-lane-" + i, pool));
        }
        return new HostNode(name, role, placements, new Lane(name + "-node", pool), all, checkpoints);
    }

    /** Returns the prefix of the threads' names. */
    public String name() {
        return name;
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public CallEnvironment environment() {
        return environment;
    }

    @Override
    public StoredNode handled() {
        return context;
    }

    @Override
    public @Nullable TensorInfo tensor() {
        return null;
    }

    @Override
    public int slice() {
        return -1;
    }

    @Override
    public @Nullable CallOrder order() {
        return null;
    }

    @Override
    public @Nullable HandlerCost cost() {
        return null;
    }

    @Override
    public boolean isDropped() {
        return false;
    }

    @Override
    public void begin(CallInfo call, Serving serving) {
        context.begin(call, serving);
    }

    @Override
    public void meet(List<TensorId> tensors, TupleReader request) {}

    @Override
    public void end() {
        context.end();
    }

    /** Returns the shards. */
    public NodeShards held() {
        return shards;
    }

    /** Sets where the answers are that the node keeps. */
    public void setKeptAnswers(KeptAnswersOf finder) {
        facts.setKeptAnswers(finder);
    }

    /** Adds a part of the node that is measured with it, on any thread. */
    public void measureWith(Metered part) {
        meter.add(part);
    }

    /** Returns the numbers of the node and its shards. Blocks until the lanes have answered, for a second at most. */
    public NodeNumbers numbers() {
        return meter.measure().join();
    }

    /** {@inheritDoc} Of the node without its shards; runs on any thread. */
    @Override
    public void measure(Metrics to) {
        MemoryUse memory = shards.memory();
        to.gauge("psf.tensors.memory.used", "bytes", "memory of tensors on the host", memory.bytes());
        if (memory.most() < Long.MAX_VALUE) {
            to.gauge("psf.tensors.memory.bound", "bytes", "the most that tensors may take on the host", memory.most());
        }
        to.gauge("psf.lanes", "lanes", "lanes of shards, and the node's lane", lanes.size());
        to.gauge("psf.lanes.depth", "work", "pieces of work that wait or run on lanes", shards.depth() + lane.depth());
        DeferredCalls deferred = environment.deferred();
        to.gauge("psf.calls.deferred", "calls", "calls whose handlers answer later", deferred.size());
        to.gauge("psf.shards.waiting", "shards", "shards on which such a call waits", deferred.shards());
    }

    /** Measures what a lane has, on the lane. */
    private NodeNumbers measured(Lane of) {
        Metrics metrics = new Metrics(NodeMeter.MOST);
        shards.measure(of, metrics);
        if (of == lane) {
            context.measure(metrics);
        }
        return new NodeNumbers(metrics.all(), environment.deferred().waiting(of));
    }

    /** Returns the lanes of shards, and the node's lane. */
    public List<Lane> lanes() {
        return lanes;
    }

    /** Returns the number of calls whose handlers answer later. */
    public int deferred() {
        return environment.deferred().size();
    }

    /** True if no lane has work. */
    public boolean isIdle() {
        return lane.isIdle() && !hasBusyLane();
    }

    /** True if a lane of shards has work. */
    public boolean hasBusyLane() {
        return shards.hasBusyLane();
    }

    /** True if the current thread runs one of this node's lanes. */
    private boolean isOnLane() {
        return lane.isHere() || shards.isOnLane();
    }

    /** Queues work on the node's lane. Callable from any thread. */
    public void execute(Runnable work) {
        lane.execute(work);
    }

    /** Sets the outgoing calls, so that handlers can make calls. */
    public void setOutgoing(Outgoing outgoing) {
        environment.setOutgoing(outgoing);
    }

    /** Sets where this node learns of tensors. */
    public void setDeclarations(Declarations declarations) {
        context.setDeclarations(declarations);
    }

    /** Sets what this node has to do with the recovery of lost servers. */
    public void setRecovery(Recovery recovery) {
        context.setRecovery(recovery);
    }

    /** Sets the caller of the node itself, in a test. */
    public void setCaller(Caller caller) {
        context.setCaller(caller);
    }

    /** Adds a listener to the requests of this node. */
    public void listen(RequestListener listener) {
        environment.listen(listener);
    }

    /** Sets interceptors around every handler; the first one is the outermost. */
    public void intercept(List<HandlerInterceptor> interceptors) {
        environment.intercept(interceptors);
    }

    /** Sets the rank that this node has received. */
    public void setRank(int rank) {
        facts.setRank(rank);
    }

    /** Returns the connection of the call being answered. */
    public Connection connection() {
        return context.connection();
    }

    /** Fails the deferred calls whose deadline has passed. Callable from any thread. */
    public void expire() {
        environment.deferred().expire();
    }

    /** Fails calls that wait behind others and have not run. Callable from any thread. */
    public void refuseWaiting(PsException why) {
        shards.forEach(shard -> shard.refuseWaiting(why));
    }

    /** Fails deferred calls whose requests hold memory. Callable from any thread. */
    public void endHolding(PsException why) {
        environment.deferred().endHolding(why);
    }

    /** Cancels calls of a connection, by their numbers. Callable from any thread. */
    public void cancel(Connection connection, Set<Long> calls) {
        calls.forEach(connection.cancelled()::add);
        environment.deferred().cancel(connection, calls);
    }

    /** Ends the deferred calls of a closed connection and removes its state. Callable from any thread. */
    public void forget(Connection gone) {
        environment.deferred().abandon(gone);
        if (gone.member() == null) {
            return; // a stranger's calls reach no shard
        }
        shards.forEach(shard -> shard.forget(gone));
    }

    /** Sets the current members, and notifies all listeners on their lanes. Callable from any thread. */
    public void setMembers(List<Member> now) {
        facts.setMembers(now);
        shards.forEach(shard -> shard.membersChanged(now));
        lane.execute(() -> context.membersChanged(now));
    }

    /** Runs the queued work, ends the lanes, and gives the memory of the shards up. */
    public void close() {
        shards.close();
        lane.close(context::close);
        context.apart().awaitEnd();
        context.endAlarms();
    }

    /** Returns the current members. */
    public List<Member> members() {
        return facts.members();
    }
}
