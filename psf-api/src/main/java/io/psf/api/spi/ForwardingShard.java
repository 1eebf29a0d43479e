package io.psf.api.spi;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A shard that forwards every method to another one. A subclass overrides the methods that it counts, logs or changes.
 * A method of the other shard calls the other shard's methods, not the subclass's methods. On a server the shard is a
 * {@code WrappingShard} of the runtime.
 */
public abstract class ForwardingShard implements StoredShard {
    private final StoredShard shard;

    /** Creates a shard that forwards to another one. */
    protected ForwardingShard(StoredShard shard) {
        this.shard = shard;
    }

    @Override
    public Range range() {
        return shard.range();
    }

    @Override
    public boolean owns(long key) {
        return shard.owns(key);
    }

    @Override
    public int rows() {
        return shard.rows();
    }

    @Override
    public int mostRows() {
        return shard.mostRows();
    }

    @Override
    public ShardBytes bytes() {
        return shard.bytes();
    }

    @Override
    public long key(int row) {
        return shard.key(row);
    }

    @Override
    public int width() {
        return shard.width();
    }

    @Override
    public int slice() {
        return shard.slice();
    }

    @Override
    public TensorInfo spec() {
        return shard.spec();
    }

    @Override
    public FloatArray values() {
        return shard.values();
    }

    @Override
    public FloatArray values(long key) {
        return shard.values(key);
    }

    @Override
    public FloatArray valuesForAnswer() {
        return shard.valuesForAnswer();
    }

    @Override
    public int row(long key) {
        return shard.row(key);
    }

    @Override
    public int find(long key) {
        return shard.find(key);
    }

    @Override
    public int find(LongArray keys, int[] into) {
        return shard.find(keys, into);
    }

    @Override
    public int[] rows(LongArray keys) {
        return shard.rows(keys);
    }

    @Override
    public void rows(LongArray keys, int[] into) {
        shard.rows(keys, into);
    }

    @Override
    public FloatArray gather(LongArray keys) {
        return shard.gather(keys);
    }

    @Override
    public FloatArray gatherForAnswer(LongArray keys) {
        return shard.gatherForAnswer(keys);
    }

    @Override
    public FloatArray slot(String name, int width) {
        return shard.slot(name, width);
    }

    @Override
    public int removeRows(LongArray keys) {
        return shard.removeRows(keys);
    }

    @Override
    public void changed(int row) {
        shard.changed(row);
    }

    @Override
    public FloatArray allocate(int n) {
        return shard.allocate(n);
    }

    @Override
    public Optimizer optimizer() {
        return shard.optimizer();
    }

    @Override
    public void setOptimizer(Optimizer optimizer) {
        shard.setOptimizer(optimizer);
    }

    @Override
    public Shard other(TensorId tensor) {
        return shard.other(tensor);
    }

    @Override
    public CallInfo call() {
        return shard.call();
    }

    @Override
    public Caller caller() {
        return shard.caller();
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return shard.after(delay, work);
    }

    @Override
    public Runnable requestRelease() {
        return shard.requestRelease();
    }

    @Override
    public List<Member> members() {
        return shard.members();
    }

    @Override
    public <T> T attachment(Class<T> type, Supplier<? extends T> factory) {
        return shard.attachment(type, factory);
    }

    @Override
    public <T> Optional<T> findAttachment(Class<T> type, Supplier<? extends T> factory) {
        return shard.findAttachment(type, factory);
    }

    @Override
    public StoredColumn storedValues() {
        return shard.storedValues();
    }

    @Override
    public Map<String, StoredColumn> storedSlots() {
        return shard.storedSlots();
    }

    @Override
    public StoredColumn storedSlot(String name, int width) {
        return shard.storedSlot(name, width);
    }

    @Override
    public void removeRows() {
        shard.removeRows();
    }

    @Override
    public void firstValues(long key, FloatArray row) {
        shard.firstValues(key, row);
    }

    @Override
    public int removals() {
        return shard.removals();
    }

    @Override
    public boolean isAwaited() {
        return shard.isAwaited();
    }

    @Override
    public @Nullable RowWrites writes() {
        return shard.writes();
    }

    @Override
    public KeySketch.Counts hotKeys(int most) {
        return shard.hotKeys(most);
    }

    @Override
    public Attachments attachments() {
        return shard.attachments();
    }

    @Override
    public void countAttachments(long more) {
        shard.countAttachments(more);
    }

    @Override
    public KeptAnswers keptAnswers() {
        return shard.keptAnswers();
    }
}
