package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.ReadOnly;
import io.psf.api.spi.StoredNode;
import io.psf.runtime.call.EventListeners;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.server.shard.Placements;
import io.psf.runtime.transport.FramePool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a server or the scheduler. Functions on nodes access it on the node's own lane. */
public final class HostNode implements StoredNode {
    private static final Logger LOG = LoggerFactory.getLogger(HostNode.class);
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final String name;
    private final Role role;
    private final Lane lane;
    private final Place place;
    private final @Nullable Path checkpoints;
    private final NodeShards shards;
    private final NodeAttachments attachments = new NodeAttachments();
    private final DeferredCalls deferred = new DeferredCalls();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private volatile List<Member> members = List.of();
    private volatile List<HandlerInterceptor> interceptors = List.of();
    private volatile @Nullable EventListeners<RequestListener> events;
    private volatile int rank;
    private volatile @Nullable Outgoing outgoing;
    private volatile @Nullable Declarations declarations;
    private final Alarms alarms;
    private final ClassLoader classPath = Thread.currentThread().getContextClassLoader();

    private CallInfo call = NO_CALL;
    /** The call that a handler is answering now. */
    private @Nullable Invocation serving;

    HostNode(String name, Role role, Placements placements, Lane lane, List<Lane> lanes, @Nullable Path checkpoints) {
        this.name = name;
        this.place = new Place(this, lane, null);
        this.role = role;
        this.shards = new NodeShards(placements, lanes);
        this.lane = lane;
        this.checkpoints = checkpoints;
        this.alarms = new Alarms(lane);
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
            String name, Role role, int lanes, Placements placements, @Nullable Path checkpoints, FramePool pool) {
        List<Lane> all = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            all.add(new Lane(name + "-lane-" + i, pool));
        }
        return new HostNode(name, role, placements, new Lane(name + "-node", pool), all, checkpoints);
    }

    String name() {
        return name;
    }

    Lane lane() {
        return lane;
    }

    /** Returns the shards. */
    NodeShards held() {
        return shards;
    }

    /** Where functions on nodes run. */
    Place place() {
        return place;
    }

    /** True if no lane has work. */
    boolean isIdle() {
        return lane.isIdle() && !hasBusyLane();
    }

    /** True if a lane of shards has work. */
    boolean hasBusyLane() {
        return shards.hasBusyLane();
    }

    void setOutgoing(Outgoing outgoing) {
        this.outgoing = outgoing;
    }

    /** Returns the outgoing calls of this node's handlers. */
    Outgoing outgoing() {
        Outgoing out = outgoing;
        if (out == null) {
            throw new IllegalStateException(
                    "caller of " + role.label() + " " + rank + ": none (expected: asked for by a handler on a server)");
        }
        return out;
    }

    /** Sets where this node learns of tensors. */
    public void setDeclarations(Declarations declarations) {
        this.declarations = declarations;
    }

    @Override
    public CompletionStage<List<DeclaredTensor>> declared(List<TensorId> tensors, long epoch) {
        Declarations from = declarations;
        if (from == null) {
            throw new IllegalStateException("declared tensors: unknown to the " + role.label());
        }
        CompletableFuture<List<DeclaredTensor>> found = from.find(tensors, epoch);
        if (found.isDone()) {
            return found;
        }
        LaneFuture<List<DeclaredTensor>> here = new LaneFuture<>(this, "the declarations of tensors");
        here.completeAs(found, lane, shards.promised()::end);
        return here;
    }

    /** True if the current thread runs one of this node's lanes. */
    boolean isOnLane() {
        return lane.isHere() || shards.isOnLane();
    }

    @Override
    public synchronized void listen(RequestListener listener) {
        events = EventListeners.with(events, listener);
    }

    /** Returns the listeners of this node's requests; null for none. */
    @Nullable
    EventListeners<RequestListener> events() {
        return events;
    }

    /** Tells the listeners, if there are any, of a request that waits for its lane. */
    void tellQueued(Invocation request) {
        EventListeners<RequestListener> listening = events;
        if (listening != null) {
            int depth = request.lane().depth();
            listening.forEach(each -> each.queued(request.function().name(), request.bytes(), depth));
        }
    }

    /** Tells the listeners, if there are any, of an answer. */
    void tellAnswered(Invocation request, PsException.Code outcome, int bytes) {
        EventListeners<RequestListener> listening = events;
        if (listening != null) {
            long nanos = System.nanoTime() - request.arrivedAt();
            listening.forEach(each -> each.answered(request.function().name(), outcome, bytes, nanos));
        }
    }

    void setInterceptors(List<HandlerInterceptor> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    boolean isIntercepted() {
        return !interceptors.isEmpty();
    }

    /** Calls a handler through the interceptors. */
    Object intercepted(Intercepted call, Supplier<Object> handler) {
        Supplier<Object> next = handler;
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            HandlerInterceptor interceptor = interceptors.get(i);
            Supplier<Object> inner = next;
            next = () -> interceptor.handle(call, inner);
        }
        return next.get();
    }

    void setRank(int rank) {
        this.rank = rank;
    }

    void begin(CallInfo call, Invocation serving) {
        this.call = call;
        this.serving = serving;
    }

    void end() {
        this.call = NO_CALL;
        this.serving = null;
        shards.promised().end();
    }

    /** Returns the connection of the call being answered. */
    public Connection connection() {
        return Invocation.require(serving).connection();
    }

    /** Returns the calls whose handlers answer later. */
    DeferredCalls deferred() {
        return deferred;
    }

    /**
     * Logs what a handler threw. The first occurrence is logged with its stack trace, since the caller receives only
     * the message.
     */
    void handlerFailed(String function, Throwable failure) {
        if (logged.add(function + " " + failure.getClass().getName())) {
            LOG.warn("a handler of \"{}\" failed", function, failure);
        } else {
            LOG.debug("a handler of \"{}\" failed", function, failure);
        }
    }

    /** Fails the deferred calls whose deadline has passed. Callable from any thread. */
    void expire() {
        deferred.expire();
    }

    /** Fails calls that wait behind others and have not run. Callable from any thread. */
    void refuseWaiting(PsException why) {
        shards.forEach(shard -> shard.refuseWaiting(why));
    }

    /** Fails deferred calls whose requests hold memory. Callable from any thread. */
    void endHolding(PsException why) {
        deferred.endHolding(why);
    }

    /** Cancels a call of a connection. Callable from any thread. */
    void cancel(Connection connection, long call) {
        connection.cancel(call);
        deferred.cancel(connection, call);
    }

    /** Ends the deferred calls of a closed connection and removes its state. Callable from any thread. */
    void forget(Connection gone) {
        deferred.abandon(gone);
        shards.forEach(shard -> shard.forget(gone));
    }

    /** Sets the current members, and notifies all listeners on their lanes. Callable from any thread. */
    void setMembers(List<Member> now) {
        members = List.copyOf(now);
        shards.forEach(shard -> shard.membersChanged(members));
        lane.execute(() -> attachments.membersChanged(members));
    }

    /** Runs the queued work, ends the lanes, and gives the memory of the shards up. */
    void close() {
        shards.close();
        lane.close(attachments::close);
        alarms.close();
    }

    @Override
    public Role role() {
        return role;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public List<Member> members() {
        return members;
    }

    @Override
    public CallInfo call() {
        return call;
    }

    @Override
    public Collection<ShardInfo> shards() {
        return shards.all().stream()
                .filter(shard -> shard.owner() == null)
                .map(shard -> new ShardInfo(shard.spec(), shard.slice(), shard.range(), shard.placement()))
                .toList();
    }

    @Override
    public <T> CompletionStage<List<T>> onShards(TensorId tensor, Function<? super Shard, ? extends T> work) {
        requireMayUse(tensor);
        List<LaneShard> held = shards.of(tensor);
        LaneFuture<List<T>> all = new LaneFuture<>(this, "the shards of tensor \"" + tensor + "\"");
        OnShards.start(held, work, call, reading(), lane, all);
        return all;
    }

    /** Returns the read-only function that is being handled; null for none. */
    private @Nullable String reading() {
        return serving == null ? null : serving.reading();
    }

    /** Checks that the function being handled may use the shards of a tensor, which may be the memory of another one. */
    private void requireMayUse(TensorId tensor) {
        Invocation now = serving;
        if (now != null) {
            shards.of(tensor)
                    .forEach(shard -> FunctionMemory.require(
                            shard.owner(), tensor, now.function().name()));
        }
    }

    private void requireMayChange(String what) {
        String reading = reading();
        if (reading != null) {
            throw ReadOnly.violated(reading, what);
        }
    }

    @Override
    public Caller caller() {
        return Invocation.require(serving).caller();
    }

    @Override
    public boolean create(TensorLayout given, int slice, String placement, Optimizer optimizer, Fill fill) {
        requireMayChange("a new shard of tensor \"" + given.info().id() + "\"");
        requireMayUse(given.info().id());
        return shards.create(this, given, slice, placement, optimizer, fill);
    }

    @Override
    public int drop(TensorId tensor) {
        requireMayChange("clearing of tensor \"" + tensor + "\"");
        requireMayUse(tensor);
        int dropped = shards.drop(tensor);
        if (dropped > 0) {
            deferred.endDropped();
        }
        return dropped;
    }

    @Override
    public <T> T attachment(String key, Class<T> type, Supplier<? extends T> factory) {
        return attachments.get(key, type, factory);
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return alarms.after(delay, work);
    }

    @Override
    public ClassLoader classPath() {
        return classPath;
    }

    @Override
    public Path checkpoints() {
        if (checkpoints == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "PSF_CHECKPOINTS of " + role.label() + " " + rank
                            + ": not set (expected: a directory for checkpoints, the same for all servers; of an embedded"
                            + " cluster PsCluster.builder().checkpoints(..))");
        }
        return checkpoints;
    }
}
