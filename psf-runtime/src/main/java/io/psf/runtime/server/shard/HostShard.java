package io.psf.runtime.server.shard;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.KeptAnswers;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.runtime.store.Store;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/** A shard in the server's own memory, off the heap. All of its state belongs to its lane. Handlers name its interfaces. */
public final class HostShard implements StoredShard, MadeShard {
    private final TensorInfo spec;
    private final int slice;
    private final ShardRows rows;
    private Optimizer optimizer;
    private final ShardLane lane;
    private final Attachments attachments;

    HostShard(Slice slice, Store store, ShardLane lane) {
        this.spec = slice.tensor();
        this.slice = slice.slice();
        this.rows = new ShardRows(slice, store, lane.tile());
        this.optimizer = slice.optimizer();
        this.lane = lane;
        this.attachments = new Attachments(this, lane::requireMayChange);
    }

    @Override
    public StoredShard shard() {
        return this;
    }

    @Override
    public void moveToLane() {
        rows.use(lane.tile());
    }

    @Override
    public void membersChanged(List<Member> now) {
        attachments.membersChanged(now);
    }

    @Override
    public void giveUp() {
        rows.giveUp();
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
    public ShardBytes bytes() {
        return rows.bytes(attachments.bytes());
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
        int n = Math.multiplyExact(keys.length(), width());
        FloatType storage = spec.types().storage();
        FloatArray gathered = storage.isHalf() ? halves(n, storage) : allocate(n);
        rows.gather(keys, gathered);
        return gathered;
    }

    /** Allocates scratch memory for values of 16 bits, so that rows are copied as they are stored. */
    private FloatArray halves(int n, FloatType type) {
        FloatArray memory = allocate((n + 1) / 2);
        ByteBuffer bytes = memory.offHeap();
        return bytes == null ? allocate(n) : ArrayMemory.view(bytes.limit(n * Short.BYTES), type);
    }

    @Override
    public void removeRows() {
        if (!spec.grows()) {
            StoredShard.super.removeRows();
            return;
        }
        lane.requireMayChange("removal of rows");
        rows.clear();
        attachments.rowsRemoved();
    }

    @Override
    public int removeRows(LongArray keys) {
        if (!spec.grows()) {
            return StoredShard.super.removeRows(keys);
        }
        lane.requireMayChange("removal of rows");
        int removed = rows.remove(keys, attachments::rowRemoved);
        attachments.forget(keys);
        return removed;
    }

    private void requireMayMake(String slot) {
        if (lane.isReadOnly() && !rows.hasSlot(slot)) {
            lane.requireMayChange("slot \"" + slot + "\"");
        }
    }

    @Override
    public FloatArray slot(String name, int width) {
        requireMayMake(name);
        return rows.slot(name, width);
    }

    @Override
    public StoredColumn storedValues() {
        return rows.storedValues();
    }

    @Override
    public Map<String, StoredColumn> storedSlots() {
        return rows.storedSlots();
    }

    @Override
    public StoredColumn storedSlot(String name, int width) {
        requireMayMake(name);
        return rows.storedSlot(name, width);
    }

    @Override
    public FloatArray allocate(int n) {
        return lane.allocate(n);
    }

    @Override
    public Shard other(TensorId tensor) {
        return lane.other(tensor);
    }

    @Override
    public Optimizer optimizer() {
        return optimizer;
    }

    @Override
    public void setOptimizer(Optimizer optimizer) {
        lane.requireMayChange("another optimizer");
        this.optimizer = optimizer;
    }

    @Override
    public CallInfo call() {
        return lane.call();
    }

    @Override
    public Caller caller() {
        return lane.caller();
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return lane.after(delay, work);
    }

    @Override
    public Runnable requestRelease() {
        return lane.requestRelease();
    }

    @Override
    public List<Member> members() {
        return lane.members();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public KeptAnswers keptAnswers() {
        return lane.keptAnswers();
    }

    @Override
    public Path checkpoints() {
        return lane.checkpoints();
    }
}
