package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.StoredShard;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.server.shard.ShardRows;
import io.psf.runtime.store.Abandoned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A shard in off-heap memory. All of its state belongs to its lane. */
final class HostShard implements StoredShard {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorLayout layout;
    private final TensorInfo spec;
    private final int slice;
    private final ShardRows rows;
    private final Optimizer optimizer;
    private final Lane lane;
    private final HostNode node;
    private final Place place;
    private final short stamp;
    private final Attachments attachments;
    private final Map<Connection, Sequence> sequences = new HashMap<>(4);
    private volatile boolean dropped;
    private final HandlerCost cost = new HandlerCost();
    /** Null until delayed work is scheduled. */
    private volatile @Nullable Alarms alarms;

    private CallInfo call = NO_CALL;
    /** The shards of other tensors for which the call being answered has keys. */
    private List<HostShard> met = List.of();
    /** The call that a handler is answering now; null for none. */
    private @Nullable Invocation serving;

    HostShard(TensorLayout layout, int slice, ShardRows rows, Optimizer optimizer, Lane lane, HostNode node) {
        this.layout = layout;
        this.spec = layout.info();
        this.slice = slice;
        this.rows = rows;
        this.optimizer = optimizer;
        this.lane = lane;
        this.node = node;
        this.place = new Place(node, lane, this);
        this.attachments = new Attachments(this);
        this.stamp = TensorLayout.stamp(spec, rows.range());
    }

    /** How long handlers on this shard take. */
    HandlerCost cost() {
        return cost;
    }

    /** Marks the shard as dropped, since its tensor was cleared: calls that are still queued here do not run. */
    void drop() {
        dropped = true;
        endAlarms();
        long bytes = bytes();
        lane.execute(() -> Abandoned.add(bytes)); // after the work that is queued on the lane
    }

    /** Bytes of values and slots that have been written to. A racy estimate, from any thread. */
    long bytes() {
        return rows.bytes();
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
     * @param readOnly true if the handler creates no rows, here and on the other shards of the lane
     * @param serving the call for which the handler may make calls; null for none
     */
    void begin(CallInfo call, boolean readOnly, @Nullable Invocation serving) {
        this.call = call;
        this.serving = serving;
        lane.setReadOnly(readOnly);
    }

    /**
     * Sets the other tensors' shards that the handler may access, until the call being answered ends: those for which
     * the call has keys.
     *
     * @param tensors the tensors that the request's key sets name
     * @param request the request, with the stamps of the layouts by which its keys were grouped
     * @throws PsException with {@code STALE_LAYOUT} or {@code UNKNOWN_TENSOR} if one of the tensors has another layout
     *     here
     */
    void meet(List<TensorId> tensors, TupleReader request) {
        List<HostShard> met = new ArrayList<>(tensors.size());
        for (int i = 0; i < tensors.size(); i++) {
            TensorId tensor = tensors.get(i);
            HostShard other = node.shard(tensor.number(), slice);
            boolean meets = other != null && other.lane.equals(lane) && other.layout.meets(layout);
            if (i < request.stamps() && (other == null || !meets || other.stamp != request.stamp(i))) {
                throw notAsSent(tensor);
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
                        "tensor " + tensor + " beside " + spec.id() + ": not on this server (expected: initialized)")
                : new PsException(
                        PsException.Code.STALE_LAYOUT,
                        "layout of tensor " + tensor + " beside " + spec.id() + ": another one (expected: "
                                + there.text() + ", as it was made last; the next call asks again)");
    }

    void end() {
        this.call = NO_CALL;
        this.met = List.of();
        this.serving = null;
        lane.setReadOnly(false);
    }

    /** Fails calls that wait behind others. */
    void refuseWaiting(PsException why) {
        sequences.values().forEach(sequence -> sequence.refuseWaiting(why));
    }

    void membersChanged(List<Member> now) {
        for (Object attachment : attachments.all()) {
            if (attachment instanceof MemberListener listener) {
                listener.membersChanged(now);
            }
        }
    }

    @Override
    public Range range() {
        return rows.range();
    }

    @Override
    public int rows() {
        return rows.count();
    }

    @Override
    public int mostRows() {
        return rows.most();
    }

    @Override
    public long key(int row) {
        return rows.key(row);
    }

    @Override
    public int width() {
        return spec.width();
    }

    @Override
    public int slice() {
        return slice;
    }

    @Override
    public TensorInfo spec() {
        return spec;
    }

    @Override
    public FloatArray values() {
        return rows.values();
    }

    @Override
    public FloatArray values(long key) {
        int row = row(key);
        return values().slice(row * width(), (row + 1) * width());
    }

    @Override
    public int row(long key) {
        return rows.row(key, !lane.isReadOnly());
    }

    @Override
    public int find(long key) {
        return rows.find(key);
    }

    @Override
    public int find(LongArray keys, int[] into) {
        return rows.find(keys, into);
    }

    @Override
    public int[] rows(LongArray keys) {
        int[] local = new int[keys.length()];
        rows(keys, local);
        return local;
    }

    @Override
    public void rows(LongArray keys, int[] into) {
        rows.rows(keys, into, !lane.isReadOnly());
    }

    @Override
    public FloatArray gather(LongArray keys) {
        FloatArray gathered = allocate(Math.multiplyExact(keys.length(), width()));
        rows.gather(keys, gathered);
        return gathered;
    }

    @Override
    public void removeRows() {
        if (!spec.grows()) {
            StoredShard.super.removeRows();
            return;
        }
        requireMayChange();
        rows.clear();
        attachments.rowsRemoved();
    }

    @Override
    public int removeRows(LongArray keys) {
        if (!spec.grows()) {
            return StoredShard.super.removeRows(keys);
        }
        requireMayChange();
        int removed = rows.remove(keys, attachments::rowRemoved);
        attachments.forget(keys);
        return removed;
    }

    private void requireMayChange() {
        if (lane.isReadOnly()) {
            throw new IllegalStateException("removeRows: in a function that is readOnly (expected: one that is not)");
        }
    }

    @Override
    public FloatArray slot(String name, int width) {
        return rows.slot(name, width);
    }

    @Override
    public Map<String, FloatArray> slots() {
        return rows.slots();
    }

    @Override
    public FloatArray allocate(int n) {
        return lane.scratch().allocate(n);
    }

    @Override
    public Shard other(TensorId tensor) {
        HostShard other = node.shard(tensor.number(), slice);
        if (other != null && (other.layout.isAlignedWith(layout) || met.contains(other))) {
            return other;
        }
        TensorLayout there = node.layout(tensor);
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + tensor + " beside " + spec.id() + ": "
                        + (there == null ? "not on this server" : there.text())
                        + " (expected: as many rows in as many slices on the same servers as " + layout.text()
                        + "; or a key set of the request that names it)");
    }

    @Override
    public Optimizer optimizer() {
        return optimizer;
    }

    @Override
    public CallInfo call() {
        return call;
    }

    @Override
    public Caller caller() {
        return Invocation.require(serving).caller();
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
        return set.after(delay, work);
    }

    @Override
    public Runnable requestRelease() {
        return serving == null ? StoredShard.super.requestRelease() : serving::releaseRequest;
    }

    @Override
    public List<Member> members() {
        return node.members();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public Path checkpoints() {
        return node.checkpoints();
    }
}
