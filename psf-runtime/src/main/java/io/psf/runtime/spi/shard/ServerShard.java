package io.psf.runtime.spi.shard;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.KeptAnswers;
import io.psf.api.spi.StoredShard;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/**
 * The base class of a server's shards. It has the slice, the attachments, the optimizer, the services of the lane, and
 * the checks before a change. A kind of shard adds the rows, in its own memory. The lane alone uses a shard.
 */
public abstract class ServerShard implements StoredShard, MadeShard {
    private final TensorInfo spec;
    private final int slice;
    private final Range range;
    private final ShardLane lane;
    private final Attachments attachments;
    private final Node.Fill fill;
    private Optimizer optimizer;
    private int removals;

    /** Creates a shard without attachments, with the optimizer of its slice. */
    @SuppressWarnings("this-escape") // the attachments keep the shard, and call nothing of it before it is complete
    protected ServerShard(Slice slice, ShardLane lane) {
        this.spec = slice.tensor();
        this.slice = slice.slice();
        this.range = slice.range();
        this.lane = lane;
        this.attachments = new Attachments(this, lane::requireMayChange);
        this.fill = slice.fill();
        this.optimizer = slice.optimizer();
    }

    /** Returns the lane, for calls that the kind makes itself. */
    protected final ShardLane lane() {
        return lane;
    }

    /** True if a slot has been requested. */
    protected abstract boolean hasSlot(String name);

    /**
     * Permits the creation of a slot that has not been requested yet. Called first by {@link #slot} and {@link
     * #storedSlot}.
     *
     * @throws PsException with {@code HANDLER_FAILED} if the slot is new and the function is read-only
     */
    protected final void requireMayMake(String slot) {
        if (lane.isReadOnly() && !hasSlot(slot)) {
            lane.requireMayChange("slot \"" + slot + "\"");
        }
    }

    /**
     * Removes all rows and the content of their slots. Called if the table grows, after the check that the function is
     * not read-only; attachments are notified afterwards.
     */
    protected abstract void removeAll();

    /**
     * Removes rows by their keys, as {@link #removeRows(LongArray)} says, and notifies the attachments of each row
     * ({@link Attachments#rowRemoved}). Called if the table grows, after the check that the function is not read-only.
     *
     * @return the number of rows removed
     */
    protected abstract int removeSome(LongArray keys);

    /**
     * Returns the optimizer that steps the rows of this kind of shard as another one steps rows in host memory; by
     * default that one.
     *
     * @throws PsException with {@code BAD_REQUEST} if the rows cannot be stepped by it
     */
    protected Optimizer optimizerOfRows(Optimizer onHost) {
        return onHost;
    }

    /**
     * Steps the rows with an optimizer of this kind from now on. For constructors: a handler uses {@link
     * #setOptimizer}.
     */
    protected final void stepWith(Optimizer ofRows) {
        this.optimizer = ofRows;
    }

    @Override
    public final Optimizer optimizer() {
        return optimizer;
    }

    @Override
    public final void setOptimizer(Optimizer optimizer) {
        lane.requireMayChange("another optimizer");
        this.optimizer = optimizerOfRows(optimizer);
    }

    @Override
    public final boolean isAwaited() {
        return lane.isAwaited();
    }

    @Override
    public final StoredShard shard() {
        return this;
    }

    /** Does nothing: rows that belong to no thread need no move. */
    @Override
    public void moveToLane() {}

    @Override
    public final void membersChanged(List<Member> now) {
        attachments.membersChanged(now);
    }

    @Override
    public final Range range() {
        return range;
    }

    @Override
    public final int width() {
        return spec.width();
    }

    @Override
    public final int slice() {
        return slice;
    }

    @Override
    public final TensorInfo spec() {
        return spec;
    }

    @Override
    public abstract int find(long key);

    @Override
    public final int[] rows(LongArray keys) {
        int[] local = new int[keys.length()];
        rows(keys, local);
        return local;
    }

    @Override
    public abstract void rows(LongArray keys, int[] into);

    @Override
    public final void removeRows() {
        requireMayRemove();
        removals += rows() > 0 ? 1 : 0;
        removeAll();
        attachments.rowsRemoved();
    }

    @Override
    public final int removeRows(LongArray keys) {
        requireMayRemove();
        int removed = removeSome(keys);
        removals += removed > 0 ? 1 : 0;
        attachments.forget(keys);
        return removed;
    }

    @Override
    public final void firstValues(long key, FloatArray row) {
        fill.fillRow(key, row);
    }

    @Override
    public final int removals() {
        return removals;
    }

    private void requireMayRemove() {
        if (!spec.grows()) {
            StoredShard.super.removeRows(); // throws: the table does not grow
        }
        lane.requireMayChange("removal of rows");
    }

    @Override
    public final FloatArray allocate(int n) {
        return lane.allocate(n);
    }

    @Override
    public final Shard other(TensorId tensor) {
        return lane.other(tensor);
    }

    @Override
    public final CallInfo call() {
        return lane.call();
    }

    @Override
    public final Caller caller() {
        return lane.caller();
    }

    @Override
    public final Future<?> after(Duration delay, Runnable work) {
        return lane.after(delay, work);
    }

    @Override
    public final Runnable requestRelease() {
        return lane.requestRelease();
    }

    @Override
    public final List<Member> members() {
        return lane.members();
    }

    @Override
    public final Attachments attachments() {
        return attachments;
    }

    @Override
    public final KeptAnswers keptAnswers() {
        return lane.keptAnswers();
    }
}
