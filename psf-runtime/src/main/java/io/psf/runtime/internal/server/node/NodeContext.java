package io.psf.runtime.internal.server.node;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Metrics;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.MemoryUse;
import io.psf.api.spi.NodeNumbers;
import io.psf.api.spi.ReadOnly;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.ServiceClassPath;
import io.psf.api.spi.StoredNode;
import io.psf.runtime.internal.server.invocation.CallEnvironment;
import io.psf.runtime.internal.server.invocation.Serving;
import io.psf.runtime.internal.server.lane.Alarms;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.LaneFuture;
import io.psf.runtime.internal.server.session.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node as handlers see it: the call being answered, the shards, the state of functions. Belongs to the node's lane.
 */
final class NodeContext implements StoredNode {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    /** The time that the scheduler has to hear of a checkpoint. */
    private static final Duration RESTORE_LIMIT = Duration.ofSeconds(60);

    private final Lane lane;
    private final NodeShards shards;
    private final NodeMeter meter;
    private final NodeFacts facts;
    private final CallEnvironment environment;
    private final NodeAttachments attachments = new NodeAttachments();
    private final Alarms alarms;
    private final WorkApart apart = new WorkApart();
    private final ClassLoader classPath = ServiceClassPath.of(NodeContext.class);
    private volatile @Nullable Declarations declarations;
    private volatile Recovery recovery = Recovery.none(1);
    /** The caller of the node itself, of a test; null for one that calls the other servers. */
    private volatile @Nullable Caller own;

    private CallInfo call = NO_CALL;
    /** The call that a handler is answering now; null for none. */
    private @Nullable Serving serving;

    /**
     * Creates a node without a call.
     *
     * @param lane the node's own lane
     */
    NodeContext(Lane lane, NodeShards shards, NodeMeter meter) {
        this.lane = lane;
        this.shards = shards;
        this.meter = meter;
        this.facts = shards.facts();
        this.environment = shards.environment();
        this.alarms = new Alarms(lane);
    }

    void begin(CallInfo call, Serving serving) {
        this.call = call;
        this.serving = serving;
    }

    void end() {
        this.call = NO_CALL;
        this.serving = null;
        shards.promised().end();
    }

    /** Returns the connection of the call being answered. */
    Connection connection() {
        return Serving.require(serving).connection();
    }

    /** Sets where this node learns of tensors. */
    void setDeclarations(Declarations declarations) {
        this.declarations = declarations;
    }

    /** Sets what this node has to do with the recovery of lost servers. */
    void setRecovery(Recovery now) {
        recovery = now;
    }

    /** Sets the caller of the node itself. */
    void setCaller(Caller now) {
        own = now;
    }

    void membersChanged(List<Member> now) {
        attachments.membersChanged(now);
    }

    /** Measures the state of functions. Called on the lane. */
    void measure(Metrics to) {
        attachments.measure(to);
    }

    /** Closes the state of functions. Called on the lane, as the last work. */
    void close() {
        attachments.close();
    }

    /** Cancels the delayed work. Callable from any thread. */
    void endAlarms() {
        alarms.close();
    }

    @Override
    public CompletionStage<List<DeclaredTensor>> declared(List<TensorId> tensors, long epoch) {
        Declarations from = declarations;
        if (from == null) {
            throw new IllegalStateException("declared tensors: unknown to the " + role().label());
        }
        CompletableFuture<List<DeclaredTensor>> found = from.find(tensors, epoch);
        if (found.isDone()) {
            return found;
        }
        LaneFuture<List<DeclaredTensor>> here = new LaneFuture<>(environment.isOnLane(), "the declarations of tensors");
        here.completeAs(found, lane, shards.promised()::end);
        return here;
    }

    @Override
    public <L extends RequestListener> L listener(Class<L> type, Supplier<? extends L> factory) {
        return environment.listener(type, factory);
    }

    @Override
    public Role role() {
        return facts.role();
    }

    @Override
    public int rank() {
        return facts.rank();
    }

    @Override
    public List<Member> members() {
        return facts.members();
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
        LaneFuture<List<T>> all = new LaneFuture<>(environment.isOnLane(), "the shards of tensor \"" + tensor + "\"");
        OnShards.start(held, work, call, reading(), lane, all);
        return all;
    }

    @Override
    public CompletionStage<Void> onEveryShard(Consumer<? super Shard> work) {
        LaneFuture<List<Boolean>> all = new LaneFuture<>(environment.isOnLane(), "the shards of the node");
        OnShards.start(
                shards.all(),
                shard -> {
                    work.accept(shard);
                    return true;
                },
                call,
                reading(),
                lane,
                all);
        return all.thenApply(done -> null);
    }

    /** Returns the read-only function that is being handled; null for none. */
    private @Nullable String reading() {
        return Serving.reading(serving);
    }

    /**
     * Checks that the function being handled may use the shards of a tensor, which may be the memory of another one.
     */
    private void requireMayUse(TensorId tensor) {
        Serving now = serving;
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
        return Serving.require(serving).caller();
    }

    @Override
    public Caller caller(Duration limit) {
        Caller given = own;
        return given != null ? given : environment.caller(lane, limit);
    }

    @Override
    public CompletionStage<Void> restoreFrom(RestorePoint point) {
        return recovery.tell(caller(RESTORE_LIMIT), point);
    }

    @Override
    public boolean hasAllServers() {
        return recovery.hasAllServers();
    }

    @Override
    public void requireRestored() {
        if (!recovery.isRestored()) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "server " + rank() + ": loads the slices of a lost one (expected: has them; call again)");
        }
    }

    @Override
    public int owner(long key) {
        return recovery.owner(key);
    }

    @Override
    public boolean create(TensorLayout given, int slice, String placement, Optimizer optimizer, Fill fill) {
        requireMayChange("a new shard of tensor \"" + given.info().id() + "\"");
        requireMayUse(given.info().id());
        return shards.create(given, slice, placement, optimizer, fill);
    }

    @Override
    public int drop(TensorId tensor) {
        return drop(tensor, () -> {});
    }

    @Override
    public CompletionStage<Integer> clear(TensorId tensor) {
        LaneFuture<Integer> cleared =
                new LaneFuture<>(environment.isOnLane(), "the lanes of tensor \"" + tensor + "\"");
        int held = shards.of(tensor).size();
        AtomicInteger missing = new AtomicInteger(held);
        int dropped = drop(tensor, () -> {
            if (missing.decrementAndGet() == 0) {
                lane.execute(() -> cleared.complete(held));
            }
        });
        if (dropped == 0) {
            cleared.complete(0);
        }
        return cleared;
    }

    private int drop(TensorId tensor, Runnable givenUp) {
        requireMayChange("clearing of tensor \"" + tensor + "\"");
        requireMayUse(tensor);
        int dropped = shards.drop(tensor, givenUp);
        if (dropped > 0) {
            environment.deferred().endDropped();
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
    public CompletionStage<Void> runApart(String thread, Runnable work) {
        return onLane(
                CompletableFuture.runAsync(work, lane.hasRunner() ? lane : task -> apart.run(task, apart.on(thread))));
    }

    @Override
    public <T> CompletionStage<T> onLane(CompletionStage<T> stage) {
        CompletableFuture<T> here = new CompletableFuture<>();
        var unused = stage.whenComplete((result, failure) -> lane.executeHere(() -> {
            if (failure == null) {
                here.complete(result);
            } else {
                here.completeExceptionally(failure);
            }
        }));
        return here;
    }

    WorkApart apart() {
        return apart;
    }

    @Override
    public MemoryUse tensorMemory() {
        return shards.memory();
    }

    @Override
    public CompletionStage<NodeNumbers> numbers() {
        return onLane(meter.measure());
    }

    @Override
    public CheckpointStore checkpoints() {
        return facts.checkpoints();
    }
}
