package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.TensorLayout;
import io.psf.runtime.store.Store;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A shard in host memory off the heap. All of it belongs to its lane. */
final class HostShard implements Shard {
    private static final long UNKNOWN = Long.MAX_VALUE;
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    /** Keys that are mapped at once. */
    private static final int TILE = 512;

    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private final int rows;
    private final Optimizer optimizer;
    private final Store store;
    private final Lane lane;
    private final Supplier<List<Member>> members;
    private final Function<TensorId, @Nullable HostShard> others;
    private final Supplier<Path> checkpoints;
    private final FloatArray values;
    private final short stamp;
    private final long[] keyTile = new long[TILE];
    private final int[] rowTile = new int[TILE];
    private final Map<String, FloatArray> slots = new HashMap<>();
    private final Attachments attachments;
    private final Map<Connection, Sequence> sequences = new HashMap<>();
    private volatile boolean dropped;
    private volatile long cost = UNKNOWN;
    private CallInfo call = NO_CALL;

    HostShard(
            TensorInfo spec,
            int slice,
            Range range,
            Optimizer optimizer,
            Store store,
            Lane lane,
            Supplier<List<Member>> members,
            Function<TensorId, @Nullable HostShard> others,
            Supplier<Path> checkpoints) {
        this.spec = spec;
        this.slice = slice;
        this.range = range;
        this.rows = Math.toIntExact(range.length());
        this.optimizer = optimizer;
        this.store = store;
        this.lane = lane;
        this.members = members;
        this.others = others;
        this.checkpoints = checkpoints;
        this.attachments = new Attachments(range);
        this.values = allocate("values", spec.width());
        this.stamp = TensorLayout.stamp(spec, range);
    }

    private FloatArray allocate(String name, int width) {
        long most = Integer.MAX_VALUE - 8;
        if (rows > 0 && width > most / 4 / rows) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    name + " of a slice: " + rows + " rows x " + width + " wide, 4 bytes each (expected: at most "
                            + most + " bytes; use more slices)");
        }
        return FloatArray.view(store.allocate(spec.id() + "." + slice + "." + name, 4 * rows * width));
    }

    /** What handlers on this shard take lately, in nanoseconds. */
    long cost() {
        return cost;
    }

    /** A handler took so long. A slow one is remembered for a while. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one at a time, on the lane
    void took(long nanos) {
        cost = nanos > cost || cost == UNKNOWN ? nanos : cost - (cost - nanos) / 4;
    }

    /** The tensor has been cleared: calls that are still queued here are not run. */
    void drop() {
        dropped = true;
    }

    boolean isDropped() {
        return dropped;
    }

    /** Which slice, of which shape, this is. */
    short stamp() {
        return stamp;
    }

    Lane lane() {
        return lane;
    }

    /** The order of one connection's calls on this shard. */
    Sequence sequence(Connection connection) {
        return sequences.computeIfAbsent(connection, c -> new Sequence());
    }

    void forget(Connection connection) {
        sequences.remove(connection);
    }

    void begin(CallInfo call) {
        this.call = call;
    }

    void end() {
        this.call = NO_CALL;
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
        return rows;
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
        return values;
    }

    @Override
    public FloatArray values(long key) {
        int row = row(key);
        return values.slice(row * width(), (row + 1) * width());
    }

    @Override
    public int row(long key) {
        if (!range.contains(key)) {
            throw new PsException(PsException.Code.OUT_OF_RANGE, "key: " + key + " (expected: a row in " + range + ")");
        }
        return (int) (key - range.begin());
    }

    @Override
    public int[] rows(LongArray keys) {
        int[] local = new int[keys.length()];
        for (int at = 0; at < local.length; at += TILE) {
            rows(keys, at, Math.min(TILE, local.length - at), local, at);
        }
        return local;
    }

    @Override
    public FloatArray gather(LongArray keys) {
        int width = width();
        FloatArray gathered = allocate(Math.multiplyExact(keys.length(), width));
        int[] local = rowTile;
        for (int at = 0; at < keys.length(); at += TILE) {
            int n = Math.min(TILE, keys.length() - at);
            rows(keys, at, n, local, 0);
            gathered.slice(at * width, (at + n) * width).gather(values, local, 0, n, width);
        }
        return gathered;
    }

    /** The local rows of n keys, at most a tile, from one on. */
    private void rows(LongArray keys, int begin, int n, int[] into, int at) {
        long[] some = keyTile;
        keys.copyTo(begin, some, 0, n);
        long first = range.begin();
        long last = rows - 1L;
        long wrong = 0;
        for (int i = 0; i < n; i++) {
            long row = some[i] - first;
            wrong |= row | (last - row); // negative if one is outside
            into[at + i] = (int) row;
        }
        if (wrong < 0) {
            for (int i = 0; i < n; i++) {
                row(some[i]);
            }
        }
    }

    @Override
    public FloatArray slot(String name, int width) {
        FloatArray slot = slots.computeIfAbsent(name, n -> allocate(n, width));
        if (slot.length() != rows * width) {
            throw new IllegalArgumentException("width of slot \"" + name + "\": " + width + " (expected: "
                    + slot.length() / rows + ", as it was made)");
        }
        return slot;
    }

    @Override
    public Map<String, FloatArray> slots() {
        return Collections.unmodifiableMap(slots);
    }

    @Override
    public FloatArray allocate(int n) {
        return lane.scratch().allocate(n);
    }

    @Override
    public Shard other(TensorId tensor) {
        HostShard other = others.apply(tensor);
        String here = "slice " + slice + ", rows " + range;
        if (other == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor " + tensor + " beside " + spec.id() + ": no slice " + slice
                            + " on this server (expected: made with as many rows and slices, " + here + ")");
        } else if (!other.range.equals(range) || !other.lane.equals(lane)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor " + tensor + " beside " + spec.id() + ": slice " + other.slice + ", rows " + other.range
                            + (other.range.equals(range) ? ", on another lane" : "") + " (expected: " + here
                            + ", on this lane; make it with as many rows and slices)");
        }
        return other;
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
