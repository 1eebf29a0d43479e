package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A shard on the heap: of a {@link TestCluster}, or without a cluster, for a test of an optimizer or of one handler.
 * Scratch memory is initialized with NaN, so that a test detects a handler that does not fill it.
 */
public final class TestShard extends TestPlace implements StoredShard {
    private final TensorLayout layout;
    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private Optimizer optimizer;
    private final Node.Fill fill;
    private final TestPlaces places;
    private final TestRows content;
    private final TestKeys keys = new TestKeys();

    private final Attachments attachments;
    private List<Member> members;
    private IntConsumer onRelease = worker -> {};
    private boolean dropped;
    private boolean serving;
    private CallInfo call = NO_CALL;
    /** The other tensors whose keys the current call has. */
    private List<TensorId> met = List.of();

    TestShard(TensorLayout layout, int slice, Optimizer optimizer, Node.Fill fill, TestPlaces places) {
        this.layout = layout;
        this.spec = layout.info();
        this.slice = slice;
        this.range = layout.range(slice);
        this.optimizer = optimizer;
        this.fill = fill;
        this.places = places;
        this.members = places.members();
        this.attachments = new Attachments(this, places.reading()::requireMayChange);
        this.content = new TestRows(rows(), spec.width());
    }

    /** Creates a shard that is a whole tensor {@code w} of zeros, without a cluster. */
    public static TestShard whole(int rows, int width, Optimizer optimizer) {
        return of(new Range(0, rows), rows, width, optimizer);
    }

    /**
     * Creates the shard of a range of a tensor {@code w} of zeros, without a cluster. Its calls are of worker 0, its
     * members are one server, and its time stands still.
     *
     * @param tensorRows the number of rows of the whole tensor
     */
    public static TestShard of(Range range, long tensorRows, int width, Optimizer optimizer) {
        TensorLayout layout = TestTensor.layoutWith(range, tensorRows, width);
        TestPlaces places = TestCluster.empty().places();
        return new TestShard(layout, layout.bounds().indexOf(range.begin()), optimizer, made -> {}, places).from(0);
    }

    /** Sets the worker of the calls that the test makes on this shard itself. */
    public TestShard from(int worker) {
        call = new CallInfo(worker, 0, 0);
        return this;
    }

    /** Sets this shard's members: the servers as before, and workers. Notifies each attachment that listens. */
    public TestShard workers(int... ranks) {
        members = Stream.concat(
                        members.stream().filter(member -> member.role() != Role.WORKER),
                        IntStream.of(ranks).mapToObj(rank -> new Member(Role.WORKER, rank, "", 0)))
                .toList();
        for (Object attachment : attachments.all()) {
            if (attachment instanceof MemberListener listener) {
                listener.membersChanged(members);
            }
        }
        return this;
    }

    /** Sets the listener that receives the worker of each request that is released before its answer. */
    public TestShard onRelease(IntConsumer listener) {
        onRelease = listener;
        return this;
    }

    @Override
    void begin(CallInfo call, FunctionInfo function) {
        requireUsableBy(function.name());
        this.call = call;
        this.serving = true;
        places.reading().begin(reading(function));
    }

    /** True if the shard is the memory of a function, and of no tensor of the model. */
    boolean isMemory() {
        return fill.memoryOf() != null;
    }

    void requireUsableBy(String function) {
        FunctionMemory.require(fill.memoryOf(), spec.id(), function);
    }

    /** Starts work of a node, for the call that the node handles: of a read-only function, or of another, null. */
    void beginWork(CallInfo call, @Nullable String reading) {
        this.call = call;
        places.reading().begin(reading);
    }

    /** Permits {@link #other} for the tensors that the call's key sets name, until the call ends. */
    void meet(List<TensorId> tensors) {
        this.met = tensors;
    }

    @Override
    void end() {
        this.call = NO_CALL;
        this.met = List.of();
        this.serving = false;
        places.reading().end();
    }

    /** Returns a function that tells whether the values and slots of this shard and of the colocated ones are the same. */
    BooleanSupplier unchanged() {
        return TestReading.unchanged(Stream.concat(Stream.of(this), places.tensors().beside(slice).stream())
                .map(shard -> shard.content)
                .toList());
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

    @Override
    String label() {
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
        return spec.grows() ? keys.key(row) : range.begin() + Objects.checkIndex(row, rows());
    }

    @Override
    public void removeRows() {
        if (!spec.grows()) {
            StoredShard.super.removeRows();
        }
        places.reading().requireMayChange("removal of rows");
        keys.clear();
        content.setRows(0);
        attachments.rowsRemoved();
    }

    @Override
    public int removeRows(LongArray some) {
        if (!spec.grows()) {
            return StoredShard.super.removeRows(some);
        }
        places.reading().requireMayChange("removal of rows");
        LongStream.of(some.toArray()).forEach(this::requireOwned);
        int before = rows();
        for (long key : some.toArray()) {
            int row = keys.find(key);
            if (row >= 0) {
                keys.remove(key);
                content.remove(row);
                attachments.rowRemoved(key, row, keys.size());
            }
        }
        attachments.forget(some);
        return before - rows();
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
        return content.values();
    }

    @Override
    public FloatArray values(long key) {
        return content.values(row(key));
    }

    @Override
    public int row(long key) {
        int row = find(key);
        return row < 0 ? make(key) : row;
    }

    @Override
    public int find(long key) {
        requireOwned(key);
        return spec.grows() ? keys.find(key) : (int) (key - range.begin());
    }

    @Override
    public int find(LongArray keys, int[] into) {
        for (int i = 0; i < keys.length(); i++) {
            into[i] = find(keys.get(i));
        }
        return (int)
                IntStream.of(into).limit(keys.length()).filter(row -> row >= 0).count();
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
        places.reading().requireMayMakeRow(key);
        int row = keys.size();
        keys.add(key);
        content.setRows(row + 1);
        fill.fillRow(key, content.values(row));
        return row;
    }

    @Override
    public FloatArray gather(LongArray keys) {
        int width = width();
        FloatArray gathered = allocate(Math.multiplyExact(keys.length(), width));
        for (int i = 0; i < keys.length(); i++) {
            FloatArray into = gathered.slice(i * width, (i + 1) * width);
            into.fill(0);
            if (find(keys.get(i)) < 0) {
                fill.fillRow(keys.get(i), into);
            } else {
                into.copyFrom(values(keys.get(i)));
            }
        }
        return gathered;
    }

    @Override
    public int[] rows(LongArray keys) {
        return LongStream.of(keys.toArray()).mapToInt(this::row).toArray();
    }

    @Override
    public FloatArray slot(String name, int width) {
        places.reading().requireMayMake(content, name);
        return content.slot(name, width);
    }

    @Override
    public StoredColumn storedValues() {
        return content.storedValues();
    }

    @Override
    public Map<String, StoredColumn> storedSlots() {
        return content.storedSlots();
    }

    @Override
    public StoredColumn storedSlot(String name, int width) {
        places.reading().requireMayMake(content, name);
        return content.storedSlot(name, width);
    }

    @Override
    public FloatArray allocate(int n) {
        FloatArray scratch = FloatArray.allocate(n);
        scratch.fill(Float.NaN);
        return scratch;
    }

    @Override
    public Shard other(TensorId tensor) {
        TestShard there = places.tensors().find(tensor, slice);
        if (there != null && (there.layout.isAlignedWith(layout) || met.contains(tensor))) {
            return there;
        }
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + tensor + " beside " + spec.id() + ": "
                        + (there == null ? "not there" : there.spec.shape())
                        + " (expected: a tensor of the test with as many rows as " + spec.shape()
                        + "; or a key set of the request that names it)");
    }

    @Override
    public void setOptimizer(Optimizer optimizer) {
        places.reading().requireMayChange("another optimizer");
        this.optimizer = optimizer;
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
        return TestNode.requireServing(serving, places);
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return places.clock().after(delay, places.reading().putOff(work, () -> dropped));
    }

    @Override
    public Runnable requestRelease() {
        int worker = call.worker();
        return () -> onRelease.accept(worker);
    }

    @Override
    public List<Member> members() {
        return members;
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
