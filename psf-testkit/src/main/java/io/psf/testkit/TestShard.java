package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Member;
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

/** A shard on the heap. Scratch memory begins as NaN, so that a handler which does not fill it shows. */
final class TestShard implements Shard, TestPlace {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private final Optimizer optimizer;
    private final TestPlaces places;
    private final Map<TensorId, List<TestShard>> all;
    private FloatArray values;
    private final Map<String, Slot> slots = new HashMap<>();
    /** Of a table that grows, its keys in the order in which they came, and the row of each. */
    private final List<Long> keys = new ArrayList<>();

    private final Map<Long, Integer> rows = new HashMap<>();
    private final Attachments attachments;
    private boolean dropped;
    private boolean serving;
    private CallInfo call = NO_CALL;

    private record Slot(int width, FloatArray data) {}

    TestShard(
            TensorInfo spec,
            int slice,
            Range range,
            Optimizer optimizer,
            TestPlaces places,
            Map<TensorId, List<TestShard>> all) {
        this.spec = spec;
        this.slice = slice;
        this.range = range;
        this.optimizer = optimizer;
        this.places = places;
        this.all = all;
        this.attachments = new Attachments(this);
        this.values = FloatArray.allocate(Math.multiplyExact(rows(), spec.width()));
    }

    @Override
    public void begin(CallInfo call) {
        this.call = call;
        this.serving = true;
    }

    /** Work of a node begins, which answers a call there. */
    void beginWork(CallInfo call) {
        this.call = call;
    }

    @Override
    public void end() {
        this.call = NO_CALL;
        this.serving = false;
    }

    /** The tensor has been cleared. */
    void drop() {
        dropped = true;
    }

    void requireThere() {
        if (dropped) {
            throw new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
        }
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
    public long key(int row) {
        return spec.grows() ? keys.get(row) : range.begin() + Objects.checkIndex(row, rows());
    }

    @Override
    public void removeRows() {
        if (!spec.grows()) {
            Shard.super.removeRows();
        }
        keys.clear();
        rows.clear();
        setRows(0);
    }

    /** Rows that are there stay as they are, others are zero. */
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
        if (!owns(key)) {
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + key + " (expected: "
                            + (spec.grows() ? "one whose place, by its hash, is in " : "a row in ") + range + ")");
        }
        return spec.grows() ? rows.computeIfAbsent(key, this::make) : (int) (key - range.begin());
    }

    private int make(long key) {
        int row = keys.size();
        keys.add(key);
        setRows(row + 1);
        return row;
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
        if (slice >= shards.size() || !shards.get(slice).range.equals(range)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor " + tensor + " beside " + spec.id() + ": no slice " + slice + " of rows " + range
                            + " (expected: a tensor of the test with as many rows)");
        }
        return shards.get(slice);
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
