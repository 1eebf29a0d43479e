package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.Caller;
import io.psf.api.spi.TensorLayout;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.store.Abandoned;
import io.psf.runtime.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A shard in off-heap memory. All of its state belongs to its lane. */
final class HostShard implements Shard {
    private static final long UNKNOWN = Long.MAX_VALUE;
    /** Reserved capacity that is written to takes at least this many bytes, where the system has pages of this size. */
    private static final long LARGEST_PAGE = 2 << 20;

    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorLayout layout;
    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private final RowIndex index;
    /** The index of a growing table; null for a fixed one. */
    private final @Nullable GrowingIndex growing;

    private final Optimizer optimizer;
    private final Store store;
    private final Lane lane;
    private final Supplier<List<Member>> members;
    private final HostNode node;
    private final Supplier<Path> checkpoints;
    private final Node.Fill fill;
    private final Column values;
    private final short stamp;
    private Tile tile;
    /** Empty until a slot is requested. */
    private Map<String, Column> slots = Map.of();

    private final Attachments attachments;
    private final Map<Connection, Sequence> sequences = new HashMap<>(4);
    private volatile long bytesOfRow;
    private volatile boolean dropped;
    private volatile long cost = UNKNOWN;
    private long lastCost = UNKNOWN;
    private long costBefore = UNKNOWN;
    /** Null until delayed work is scheduled. */
    private volatile @Nullable Alarms alarms;

    private CallInfo call = NO_CALL;
    /** The shards of other tensors for which the call being answered has keys. */
    private List<HostShard> met = List.of();
    /** The call that a handler is answering now; null for none. */
    private @Nullable Invocation serving;

    HostShard(
            TensorLayout layout,
            int slice,
            Optimizer optimizer,
            Node.Fill fill,
            Store store,
            Lane lane,
            Supplier<List<Member>> members,
            HostNode node,
            Supplier<Path> checkpoints) {
        this.layout = layout;
        this.spec = layout.info();
        this.slice = slice;
        this.range = layout.range(slice);
        this.optimizer = optimizer;
        this.fill = fill;
        this.store = store;
        this.lane = lane;
        this.tile = lane.tile();
        this.members = members;
        this.node = node;
        this.checkpoints = checkpoints;
        this.attachments = new Attachments(this);
        this.stamp = TensorLayout.stamp(spec, range);
        this.values = column("values", spec.width());
        this.bytesOfRow = spec.width() * (long) Float.BYTES;
        this.growing = spec.grows()
                ? new GrowingIndex(spec.id() + "." + slice, range, store, values.rows(), this::take)
                : null;
        this.index = growing != null ? growing : new RangeIndex(range);
    }

    private Column column(String name, int width) {
        String whose = spec.id() + "." + slice + "." + name;
        return spec.grows() ? Column.growing(store, whose, width) : Column.fixed(store, whose, range.length(), width);
    }

    /** Takes memory for rows that are to be created. Returns the number of rows that have memory. */
    private int take(int rows) {
        int least = values.take(rows);
        for (Column slot : slots.values()) {
            least = Math.min(least, slot.take(rows));
        }
        return least;
    }

    /** Returns the recent duration of this shard's handlers, in nanoseconds. Callable from any thread. */
    long cost() {
        return cost;
    }

    /**
     * Records the duration of a handler. The median of the last three counts: one preemption of the thread by the
     * system must not mark the handlers as slow, since slow handlers are dispatched to another thread and preempted
     * even more often.
     */
    void took(long nanos) {
        long low = Math.min(lastCost, nanos);
        long high = Math.max(lastCost, nanos);
        cost = cost == UNKNOWN ? nanos : Math.max(low, Math.min(high, costBefore));
        costBefore = lastCost;
        lastCost = nanos;
    }

    /** Marks the shard as dropped, since its tensor was cleared: calls that are still queued here do not run. */
    void drop() {
        dropped = true;
        endAlarms();
        long bytes = bytes();
        lane.execute(() -> Abandoned.add(bytes)); // after the work that is queued on the lane
    }

    /** Returns how many bytes of values and slots have been written to. Callable from any thread; a racy estimate. */
    long bytes() {
        long pages = spec.grows() ? (slots.size() + 2) * LARGEST_PAGE : 0;
        return index.rows() * bytesOfRow + pages;
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

    /** Returns the order of one connection's calls on this shard. */
    Sequence sequence(Connection connection) {
        return sequences.computeIfAbsent(connection, c -> new Sequence());
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

    /** Sets the buffer for keys and rows: that of the thread that uses this shard from now on. */
    void use(Tile tile) {
        this.tile = tile;
    }

    /** Fails calls that wait behind others. */
    void refuseWaiting(PsException why) {
        sequences.values().forEach(sequence -> sequence.removeWaiting().forEach(waiting -> waiting.refuse(why)));
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
        return range;
    }

    @Override
    public int rows() {
        return index.rows();
    }

    @Override
    public int mostRows() {
        return growing != null ? growing.most() : index.rows();
    }

    @Override
    public long key(int row) {
        return index.key(row);
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
        return values.of(rows());
    }

    @Override
    public FloatArray values(long key) {
        int row = row(key);
        return values().slice(row * width(), (row + 1) * width());
    }

    @Override
    public int row(long key) {
        tile.keys[0] = key;
        tile(1, tile.rows, 0);
        return tile.rows[0];
    }

    @Override
    public int find(long key) {
        tile.keys[0] = key;
        index.find(tile.keys, 1, tile.rows, 0);
        return tile.rows[0];
    }

    @Override
    public int find(LongArray keys, int[] into) {
        int found = 0;
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            int n = Math.min(RowIndex.TILE, keys.length() - at);
            keys.copyTo(at, tile.keys, 0, n);
            found += index.find(tile.keys, n, into, at);
        }
        return found;
    }

    @Override
    public int[] rows(LongArray keys) {
        int[] local = new int[keys.length()];
        rows(keys, local);
        return local;
    }

    @Override
    public void rows(LongArray keys, int[] into) {
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            rows(keys, at, Math.min(RowIndex.TILE, keys.length() - at), into, at);
        }
    }

    @Override
    public FloatArray gather(LongArray keys) {
        int width = width();
        FloatArray gathered = allocate(Math.multiplyExact(keys.length(), width));
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            int n = Math.min(RowIndex.TILE, keys.length() - at);
            keys.copyTo(at, tile.keys, 0, n);
            FloatArray part = gathered.slice(at * width, (at + n) * width);
            if (index.find(tile.keys, n, tile.rows, 0) == n) {
                part.gather(values(), tile.rows, 0, n, width);
            } else {
                gatherOrBegin(part, n);
            }
        }
        return gathered;
    }

    /** Copies the values of the rows of the keys in the tile. For keys without a row, computes their initial values. */
    private void gatherOrBegin(FloatArray into, int n) {
        int width = width();
        into.fill(0);
        for (int i = 0; i < n; i++) {
            if (tile.rows[i] >= 0) {
                into.copyRows(i, values(), tile.rows[i], 1, width);
            } else {
                fill.fillRow(tile.keys[i], into.slice(i * width, (i + 1) * width));
            }
        }
    }

    /** Finds the local rows of {@code n} keys from {@code begin} on, at most a tile. */
    private void rows(LongArray keys, int begin, int n, int[] into, int at) {
        keys.copyTo(begin, tile.keys, 0, n);
        tile(n, into, at);
    }

    /** Finds the local rows of the keys in the tile. New rows get their initial values. */
    private void tile(int n, int[] into, int at) {
        if (growing != null && lane.isReadOnly()) {
            tileOfRows(n, into, at);
            return;
        }
        int before = index.rows();
        try {
            index.rows(tile.keys, n, into, at);
        } finally {
            if (index.rows() > before) { // even if there was no capacity for all of them
                begin(before, index.rows());
            }
        }
    }

    /** Finds the local rows of the keys in the tile, all of which must have one. */
    private void tileOfRows(int n, int[] into, int at) {
        if (index.find(tile.keys, n, into, at) < n) {
            int missing = 0;
            while (into[at + missing] >= 0) {
                missing++;
            }
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + tile.keys[missing] + " (expected: one that has a row, since the function is readOnly and"
                            + " makes none; Shard.find tells which have one)");
        }
    }

    private void begin(int first, int end) {
        values.clear(first, end);
        slots.values().forEach(slot -> slot.clear(first, end));
        FloatArray all = values();
        for (int row = first; row < end; row++) {
            fill.fillRow(index.key(row), all.slice(row * width(), (row + 1) * width()));
        }
    }

    @Override
    public void removeRows() {
        if (growing == null) {
            Shard.super.removeRows();
            return;
        }
        requireMayChange();
        growing.clear();
        attachments.rowsRemoved();
    }

    @Override
    public int removeRows(LongArray keys) {
        if (growing == null) {
            return Shard.super.removeRows(keys);
        }
        requireMayChange();
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) { // an invalid key fails before any is removed
            int n = Math.min(RowIndex.TILE, keys.length() - at);
            keys.copyTo(at, tile.keys, 0, n);
            growing.find(tile.keys, n, tile.rows, 0);
        }
        int before = rows();
        for (int i = 0; i < keys.length(); i++) {
            long key = keys.get(i);
            int row = growing.remove(key);
            if (row >= 0) {
                removed(key, row, growing.rows());
            }
        }
        attachments.forget(keys);
        return before - rows();
    }

    /** Moves the last row's values to a removed row: in the index the last row has that number already. */
    private void removed(long key, int row, int last) {
        if (row != last) {
            values.copyRow(last, row);
            for (Column slot : slots.values()) {
                slot.copyRow(last, row);
            }
        }
        attachments.rowRemoved(key, row, last);
    }

    private void requireMayChange() {
        if (lane.isReadOnly()) {
            throw new IllegalStateException("removeRows: in a function that is readOnly (expected: one that is not)");
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // written only on the lane
    public FloatArray slot(String name, int width) {
        Column slot = slots.get(name);
        if (slot == null) {
            slot = column(name, width);
            if (growing != null) {
                growing.limit(slot.rows(), slot.name());
                slot.take(rows());
                slot.clear(0, rows());
            }
            if (slots.isEmpty()) {
                slots = new HashMap<>(4);
            }
            slots.put(name, slot);
            bytesOfRow += width * (long) Float.BYTES;
        }
        if (slot.width() != width) {
            throw new IllegalArgumentException(
                    "width of slot \"" + name + "\": " + width + " (expected: " + slot.width() + ", as it was made)");
        }
        return slot.of(rows());
    }

    @Override
    public Map<String, FloatArray> slots() {
        Map<String, FloatArray> views = new HashMap<>();
        slots.forEach((name, slot) -> views.put(name, slot.of(rows())));
        return Collections.unmodifiableMap(views);
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
        return serving == null ? Shard.super.requestRelease() : serving::releaseRequest;
    }

    @Override
    public List<Member> members() {
        return members.get();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public Path checkpoints() {
        return checkpoints.get();
    }
}
