package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.ReadOnly;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.server.shard.MadeShard;
import io.psf.runtime.server.shard.ShardLane;
import io.psf.runtime.server.shard.Slice;
import io.psf.runtime.server.shard.Tile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A shard as it is run: its lane, the order of the calls on it, and the call being answered. All of its state belongs to
 * its lane.
 */
final class LaneShard implements ShardLane {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorLayout layout;
    private final int slice;
    private final String placement;
    /** The function whose memory the shard is; null for a tensor of the model. */
    private final @Nullable String owner;

    private final Lane lane;
    private final HostNode node;
    private final Place place;
    private final short stamp;
    private final Map<Connection, Sequence> sequences = new HashMap<>(4);
    private volatile boolean dropped;
    private final HandlerCost cost = new HandlerCost();
    /** Null until delayed work is scheduled. */
    private volatile @Nullable Alarms alarms;

    private CallInfo call = NO_CALL;
    /** The shards of other tensors for which the call being answered has keys. */
    private List<LaneShard> met = List.of();
    /** The call that a handler is answering now; null for none. */
    private @Nullable Invocation serving;

    /** True while the thread that makes the shard sets its values. */
    private boolean isFilled;

    private final MadeShard made;
    private final Shard shard;

    /**
     * Creates a shard whose values are not set yet.
     *
     * @param of the slice, at one placement
     * @param make makes what handlers see, for this lane
     */
    LaneShard(TensorLayout layout, Slice of, Lane lane, HostNode node, Function<? super ShardLane, MadeShard> make) {
        this.layout = layout;
        this.slice = of.slice();
        this.placement = of.placement();
        this.owner = of.fill().memoryOf();
        this.lane = lane;
        this.node = node;
        this.place = new Place(node, lane, this);
        this.stamp = layout.stamp(slice);
        this.made = make.apply(this);
        this.shard = made.shard();
    }

    /**
     * Sets the first values, on the thread that creates shards, or on a pinned lane's. From then on the lane uses the
     * shard.
     *
     * @param fill sets them; if that fails, the memory is given up
     */
    void fill(Node.Fill fill) {
        boolean moved = false;
        try {
            fill.fill(shard);
            isFilled = true;
            made.moveToLane();
            moved = true;
        } finally {
            if (!moved) {
                endAlarms();
                made.giveUp();
            }
        }
    }

    /** Returns what handlers see. */
    Shard shard() {
        return shard;
    }

    TensorInfo spec() {
        return layout.info();
    }

    int slice() {
        return slice;
    }

    /** Returns the memory of the shard. */
    String placement() {
        return placement;
    }

    /** Returns the function whose memory the shard is; null for a tensor of the model. */
    @Nullable
    String owner() {
        return owner;
    }

    Range range() {
        return layout.range(slice);
    }

    /** How long handlers on this shard take. */
    HandlerCost cost() {
        return cost;
    }

    /** Marks the shard as dropped, since its tensor was cleared: calls that are still queued here do not run. */
    void drop() {
        dropped = true;
        endAlarms();
        lane.execute(made::giveUp); // after the work that is queued on the lane
    }

    /** Gives the memory up. Views of it stay valid. */
    void giveUpMemory() {
        made.giveUp();
    }

    boolean isDropped() {
        return dropped;
    }

    void requireThere() {
        if (dropped) {
            throw new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
        }
    }

    /** Cancels the delayed work. */
    void endAlarms() {
        Alarms set = alarms;
        if (set != null) {
            set.close();
        }
    }

    /** Returns the stamp of this slice and its tensor's shape. */
    short stamp() {
        return stamp;
    }

    Lane lane() {
        return lane;
    }

    /** Where the calls on this shard run. */
    Place place() {
        return place;
    }

    /** Returns the order of one connection's calls on this shard. */
    Sequence sequence(Connection connection) {
        return sequences.computeIfAbsent(connection, c -> new Sequence(this, c));
    }

    void forget(Connection connection) {
        sequences.remove(connection);
    }

    /**
     * Sets the state of a call before its handler runs.
     *
     * @param reading the function, if it is read-only and changes nothing, here and on the other shards of the lane; null
     *     for another
     * @param serving the call for which the handler may make calls; null for none
     */
    void begin(CallInfo call, @Nullable String reading, @Nullable Invocation serving) {
        this.call = call;
        this.serving = serving;
        lane.setReading(reading);
    }

    /**
     * Sets the other tensors' shards that the handler may access, until the call being answered ends: those for which
     * the call has keys.
     *
     * @param tensors the tensors that the request's key sets name
     * @param request the request, with the stamps of the layouts by which its keys were grouped
     * @throws Refused with {@code STALE_LAYOUT} or {@code UNKNOWN_TENSOR} if one of the tensors has another layout
     *     here
     */
    void meet(List<TensorId> tensors, TupleReader request) {
        List<LaneShard> met = new ArrayList<>(tensors.size());
        for (int i = 0; i < tensors.size(); i++) {
            TensorId tensor = tensors.get(i);
            LaneShard other = node.held().get(tensor.number(), slice);
            boolean meets = other != null && other.lane.equals(lane) && other.layout.meets(layout);
            if (i < request.stamps() && (other == null || !meets || other.stamp != request.stamp(i))) {
                throw new Refused(notAsSent(tensor));
            } else if (other != null && meets) {
                met.add(other);
            }
        }
        this.met = met;
    }

    private PsException notAsSent(TensorId tensor) {
        TensorLayout there = node.held().layout(tensor);
        return there == null
                ? new PsException(
                        PsException.Code.UNKNOWN_TENSOR,
                        "tensor " + tensor + " beside " + spec().id() + ": not on this server (expected: initialized)")
                : new PsException(
                        PsException.Code.STALE_LAYOUT,
                        "layout of tensor " + tensor + " beside " + spec().id()
                                + ": outdated in the request (expected: " + there.text() + ", as it was made last)");
    }

    void end() {
        this.call = NO_CALL;
        this.met = List.of();
        this.serving = null;
        lane.setReading(null);
    }

    /** Fails calls that wait behind others. */
    void refuseWaiting(PsException why) {
        sequences.values().forEach(sequence -> sequence.refuseWaiting(why));
    }

    void membersChanged(List<Member> now) {
        made.membersChanged(now);
    }

    @Override
    public Shard other(TensorId tensor) {
        LaneShard other = node.held().get(tensor.number(), slice);
        if (other != null && (other.layout.isAlignedWith(layout) || met.contains(other))) {
            if (serving != null) {
                FunctionMemory.require(other.owner, tensor, serving.function().name());
            }
            return other.shard;
        }
        TensorLayout there = node.held().layout(tensor);
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + tensor + " beside " + spec().id() + ": "
                        + (there == null ? "not on this server" : there.text())
                        + " (expected: as many rows in as many slices on the same servers as " + layout.text()
                        + "; or a key set of the request that names it)");
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        Alarms set = alarms;
        if (set == null) {
            set = new Alarms(lane);
            alarms = set;
            if (dropped) { // by another thread, which may not have seen the alarms
                set.close();
            }
        }
        String reading = lane.reading();
        return set.after(delay, reading == null ? work : () -> lane.reading(reading, work));
    }

    @Override
    public CallInfo call() {
        return call;
    }

    @Override
    public long turn() {
        return lane.turn();
    }

    @Override
    public boolean isReadOnly() {
        return isFilled && lane.reading() != null; // before, the lane may run a call on another shard
    }

    @Override
    public void requireMayChange(String what) {
        String reading = lane.reading();
        if (reading != null && isFilled) {
            throw ReadOnly.violated(reading, what);
        }
    }

    @Override
    public Caller caller() {
        return Invocation.require(serving).caller();
    }

    @Override
    public Runnable requestRelease() {
        return serving == null ? () -> {} : serving::releaseRequest;
    }

    @Override
    public List<Member> members() {
        return node.members();
    }

    @Override
    public FloatArray allocate(int n) {
        return lane.scratch().allocate(n);
    }

    @Override
    public Path checkpoints() {
        return node.checkpoints();
    }

    @Override
    public Tile tile() {
        return isFilled ? lane.tile() : node.held().making();
    }
}
