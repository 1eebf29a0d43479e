package io.psf.runtime.internal.server.node;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.KeptAnswers;
import io.psf.api.spi.ReadOnly;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.internal.server.invocation.Refused;
import io.psf.runtime.internal.server.invocation.Serving;
import io.psf.runtime.internal.server.lane.Alarms;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.shard.HostFactory;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The part of a lane and a node that a shard sees: the call being answered, the shards beside it, delayed work.
 * Belongs to the lane, and before that to the thread that makes the shard.
 */
final class ShardContext implements ShardLane {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorLayout layout;
    private final int slice;
    private final Lane lane;
    private final NodeShards node;
    /** Null until delayed work is scheduled. */
    private volatile @Nullable Alarms alarms;
    /** True if delayed work does not run any more. */
    private volatile boolean ended;

    private CallInfo call = NO_CALL;
    /** The shards of other tensors for which the call being answered has keys. */
    private List<LaneShard> met = List.of();
    /** The call that a handler is answering now; null for none. */
    private @Nullable Serving serving;

    /** False while the thread that makes the shard sets its values. */
    private boolean isFilled;

    ShardContext(TensorLayout layout, int slice, Lane lane, NodeShards node) {
        this.layout = layout;
        this.slice = slice;
        this.lane = lane;
        this.node = node;
    }

    /** Marks the first values as set: from now on the lane uses the shard. */
    void filled() {
        isFilled = true;
    }

    /** Cancels the delayed work, and drops any that is scheduled from now on. */
    void endAlarms() {
        ended = true;
        Alarms set = alarms;
        if (set != null) {
            set.close();
        }
    }

    /**
     * Sets the state of a call before its handler runs.
     *
     * @param reading the function, if it is read-only and changes nothing, here and on the other shards of the lane;
     *     null for another
     * @param serving the call for which the handler may make calls; null for none
     */
    void begin(CallInfo call, @Nullable String reading, @Nullable Serving serving) {
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
            LaneShard other = node.get(tensor.number(), slice);
            boolean meets =
                    other != null && other.lane().equals(lane) && other.layout().meets(layout);
            if (i < request.stamps() && (other == null || !meets || other.stamp() != request.stamp(i))) {
                throw new Refused(notAsSent(tensor));
            } else if (other != null && meets) {
                met.add(other);
            }
        }
        this.met = met;
    }

    private PsException notAsSent(TensorId tensor) {
        TensorLayout there = node.layout(tensor);
        return there == null
                ? new PsException(
                        PsException.Code.UNKNOWN_TENSOR,
                        "tensor " + tensor + " beside " + layout.info().id()
                                + ": not on this server (expected: initialized)")
                : new PsException(
                        PsException.Code.STALE_LAYOUT,
                        "layout of tensor " + tensor + " beside "
                                + layout.info().id() + ": the request has an outdated one (expected: " + there.text()
                                + ", which this server has)");
    }

    void end() {
        this.call = NO_CALL;
        this.met = List.of();
        this.serving = null;
        lane.setReading(null);
    }

    @Override
    public Shard other(TensorId tensor) {
        LaneShard other = node.get(tensor.number(), slice);
        if (other != null && (other.layout().isAlignedWith(layout) || met.contains(other))) {
            if (serving != null) {
                FunctionMemory.require(other.owner(), tensor, serving.function().name());
            }
            return other.shard();
        }
        TensorLayout there = node.layout(tensor);
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + tensor + " beside " + layout.info().id() + ": "
                        + (there == null ? "not on this server" : there.text())
                        + " (expected: the same number of rows, and the same slices on the same servers,"
                        + " as " + layout.text()
                        + "; or a key set of the request that names it)");
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        Alarms set = alarms;
        if (set == null) {
            set = new Alarms(lane);
            alarms = set;
            if (ended) { // by another thread, which may not have seen the alarms
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
    public boolean isAwaited() {
        return lane.hasWaiting();
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
        return Serving.require(serving).caller();
    }

    @Override
    public Runnable requestRelease() {
        return serving == null ? () -> {} : serving::releaseRequest;
    }

    @Override
    public List<Member> members() {
        return node.facts().members();
    }

    @Override
    public MadeShard inHostMemory(Slice slice, Store store) {
        return new HostFactory().make(slice, store, this);
    }

    @Override
    public boolean beforeAnswer(Runnable work) {
        return lane.reads().putOff(work);
    }

    @Override
    public FloatArray allocate(int n) {
        return lane.scratch().allocate(n);
    }

    @Override
    public int[] allocateRows(int n) {
        return lane.scratch().allocateRows(n);
    }

    @Override
    public KeptAnswers keptAnswers() {
        return node.facts().keptAnswers(layout.info().id().number(), slice);
    }
}
