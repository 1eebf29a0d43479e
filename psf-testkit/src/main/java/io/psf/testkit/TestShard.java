package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Member;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;

/**
 * A shard on the heap. Scratch memory is initialized with NaN, so that a test detects a handler that does not fill it.
 */
final class TestShard implements Shard, TestPlace {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorLayout layout;
    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private final Optimizer optimizer;
    private final Node.Fill fill;
    private final TestPlaces places;
    private final Map<TensorId, List<TestShard>> all;
    private FloatArray values;
    private final Map<String, Slot> slots = new HashMap<>();
    /** The keys of a growing table, in the order of their rows. */
    private final List<Long> keys = new ArrayList<>();

    private final Map<Long, Integer> rows = new HashMap<>();
    private final Attachments attachments;
    private boolean dropped;
    private boolean serving;
    private CallInfo call = NO_CALL;
    /** The other tensors whose keys the current call has. */
    private List<TensorId> met = List.of();
    /** True while a call that creates no rows is handled on this shard or on a colocated one. */
    private boolean readOnly;

    private record Slot(int width, FloatArray data) {}

    TestShard(
            TensorLayout layout,
            int slice,
            Optimizer optimizer,
            Node.Fill fill,
            TestPlaces places,
            Map<TensorId, List<TestShard>> all) {
        this.layout = layout;
        this.spec = layout.info();
        this.slice = slice;
        this.range = layout.range(slice);
        this.optimizer = optimizer;
        this.fill = fill;
        this.places = places;
        this.all = all;
        this.attachments = new Attachments(this);
        this.values = FloatArray.allocate(Math.multiplyExact(rows(), spec.width()));
    }

    @Override
    public void begin(CallInfo call, boolean readOnly) {
        this.call = call;
        this.serving = true;
        beside().forEach(shard -> shard.readOnly = readOnly);
    }

    /** Starts work of a node, for the call that the node handles. */
    void beginWork(CallInfo call) {
        this.call = call;
    }

    /** Permits {@link #other} for the tensors that the call's key sets name, until the call ends. */
    void meet(List<TensorId> tensors) {
        this.met = tensors;
    }

    @Override
    public void end() {
        this.call = NO_CALL;
        this.met = List.of();
        this.serving = false;
        beside().forEach(shard -> shard.readOnly = false);
    }

    /** Marks the tensor as cleared. */
    void drop() {
        dropped = true;
    }

    void requireThere() {
        if (dropped) {
            throw new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
        }
    }

    /** Returns the shards of the same slice of all tensors, this one included. */
    private List<TestShard> beside() {
        List<TestShard> shards = new ArrayList<>(List.of(this));
        for (List<TestShard> each : all.values()) {
            if (slice < each.size()) {
                shards.add(each.get(slice));
            }
        }
        return shards;
    }

    @Override
    public String label() {
        return range.toString();
    }

    @Override
    public Range range() {
        return range;
    }

    @Override
    public int rows() {
        return spec.grows() ? keys.size() : Math.toIntExact(range.length());
    }

    @Override
    public int mostRows() {
        return spec.grows() ? Integer.MAX_VALUE / spec.width() : rows();
    }

    @Override
    public long key(int row) {
        return spec.grows() ? keys.get(row) : range.begin() + Objects.checkIndex(row, rows());
    }

    @Override
    public void removeRows() {
        if (!spec.grows()) {
            Shard.super.removeRows();
        }
        requireMayChange();
        keys.clear();
        rows.clear();
        setRows(0);
        attachments.rowsRemoved();
    }

    @Override
    public int removeRows(LongArray some) {
        if (!spec.grows()) {
            return Shard.super.removeRows(some);
        }
        requireMayChange();
        for (int i = 0; i < some.length(); i++) {
            requireOwned(some.get(i));
        }
        int before = rows();
        for (int i = 0; i < some.length(); i++) {
            Integer row = rows.remove(some.get(i));
            if (row != null) {
                removed(some.get(i), row);
            }
        }
        attachments.forget(some);
        return before - rows();
    }

    private void removed(long key, int row) {
        int last = keys.size() - 1;
        long moved = keys.remove(last);
        if (row != last) {
            keys.set(row, moved);
            rows.put(moved, row);
            values.copyRows(row, values, last, 1, width());
            slots.values().forEach(slot -> slot.data().copyRows(row, slot.data(), last, 1, slot.width()));
        }
        setRows(last);
        attachments.rowRemoved(key, row, last);
    }

    private void requireMayChange() {
        if (readOnly) {
            throw new IllegalStateException("removeRows: in a function that is readOnly (expected: one that is not)");
        }
    }

    /** Changes the number of rows. Existing rows keep their values; new rows are zero. */
    private void setRows(int rows) {
        values = resized(values, rows * width());
        slots.replaceAll((name, slot) -> new Slot(slot.width(), resized(slot.data(), rows * slot.width())));
    }

    private static FloatArray resized(FloatArray array, int length) {
        return FloatArray.wrap(Arrays.copyOf(array.toArray(), length));
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
        int row = find(key);
        if (row < 0 && readOnly) {
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + key + " (expected: one that has a row, since the function is readOnly and makes none;"
                            + " Shard.find tells which have one)");
        }
        return row < 0 ? make(key) : row;
    }

    @Override
    public int find(long key) {
        requireOwned(key);
        return spec.grows() ? rows.getOrDefault(key, -1) : (int) (key - range.begin());
    }

    @Override
    public int find(LongArray keys, int[] into) {
        int found = 0;
        for (int i = 0; i < keys.length(); i++) {
            into[i] = find(keys.get(i));
            found += into[i] < 0 ? 0 : 1;
        }
        return found;
    }

    private void requireOwned(long key) {
        if (!owns(key)) {
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + key + " (expected: "
                            + (spec.grows() ? "one whose place, by its hash, is in " : "a row in ") + range + ")");
        }
    }

    private int make(long key) {
        int row = keys.size();
        keys.add(key);
        rows.put(key, row);
        setRows(row + 1);
        fill.fillRow(key, values.slice(row * width(), (row + 1) * width()));
        return row;
    }

    @Override
    public FloatArray gather(LongArray keys) {
        int width = width();
        FloatArray gathered = allocate(Math.multiplyExact(keys.length(), width));
        for (int i = 0; i < keys.length(); i++) {
            int row = find(keys.get(i));
            FloatArray into = gathered.slice(i * width, (i + 1) * width);
            into.fill(0);
            if (row < 0) {
                fill.fillRow(keys.get(i), into);
            } else {
                into.copyRows(0, values, row, 1, width);
            }
        }
        return gathered;
    }

    @Override
    public int[] rows(LongArray keys) {
        int[] rows = new int[keys.length()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(keys.get(i));
        }
        return rows;
    }

    @Override
    public FloatArray slot(String name, int width) {
        Slot slot = slots.computeIfAbsent(
                name, n -> new Slot(width, FloatArray.allocate(Math.multiplyExact(rows(), width))));
        if (slot.width() != width) {
            throw new IllegalArgumentException(
                    "width of slot \"" + name + "\": " + width + " (expected: " + slot.width() + ", as it was made)");
        }
        return slot.data();
    }

    @Override
    public Map<String, FloatArray> slots() {
        Map<String, FloatArray> data = new HashMap<>();
        slots.forEach((name, slot) -> data.put(name, slot.data()));
        return Collections.unmodifiableMap(data);
    }

    @Override
    public FloatArray allocate(int n) {
        FloatArray scratch = FloatArray.allocate(n);
        scratch.fill(Float.NaN);
        return scratch;
    }

    @Override
    public Shard other(TensorId tensor) {
        List<TestShard> shards = all.getOrDefault(tensor, List.of());
        boolean there = slice < shards.size();
        if (there && (shards.get(slice).layout.isAlignedWith(layout) || met.contains(tensor))) {
            return shards.get(slice);
        }
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + tensor + " beside " + spec.id() + ": "
                        + (there ? shards.get(slice).spec.shape() : "not there")
                        + " (expected: a tensor of the test with as many rows as " + spec.shape()
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
        return TestNode.requireServing(serving, places.onward());
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return places.clock().after(delay, () -> {
            if (!dropped) {
                work.run();
            }
        });
    }

    @Override
    public List<Member> members() {
        return places.members();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public Path checkpoints() {
        return TestNode.require(places.checkpoints());
    }
}
