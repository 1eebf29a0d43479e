package io.psf.runtime.internal.server.node;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.StoredShard;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.internal.server.invocation.CallEnvironment;
import io.psf.runtime.internal.server.invocation.CallTarget;
import io.psf.runtime.internal.server.invocation.Failures;
import io.psf.runtime.internal.server.invocation.HandlerCost;
import io.psf.runtime.internal.server.invocation.Serving;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A shard as it is run: its slice, its lane, the order of the calls on it, its memory. Belongs to its lane. */
public final class LaneShard implements CallTarget {
    private final TensorLayout layout;
    private final int slice;
    private final String placement;
    /** The function whose memory the shard is; null for a tensor of the model. */
    private final @Nullable String owner;

    private final Lane lane;
    private final CallEnvironment environment;
    private final CallOrder order;
    private final HandlerCost cost = new HandlerCost();
    private final short stamp;
    private final ShardContext context;
    private final MadeShard made;
    private final Shard shard;
    private volatile boolean dropped;

    /**
     * Creates a shard whose values are not set yet.
     *
     * @param of the slice, at one placement
     * @param node the node's shards, which this one is to be one of
     * @param make makes what handlers see, for this lane
     */
    LaneShard(TensorLayout layout, Slice of, Lane lane, NodeShards node, Function<? super ShardLane, MadeShard> make) {
        this.layout = layout;
        this.slice = of.slice();
        this.placement = of.placement();
        this.owner = of.fill().memoryOf();
        this.lane = lane;
        this.environment = node.environment();
        this.order = new CallOrder(lane);
        this.stamp = layout.stamp(slice);
        this.context = new ShardContext(layout, slice, lane, node);
        this.made = make.apply(context);
        this.shard = made.shard();
    }

    /**
     * Sets the first values, on the thread that creates shards, or on a pinned lane's. From then on the lane uses the
     * shard.
     *
     * @param fill sets them; if that fails, the memory is given up
     */
    void fill(Node.Fill fill) {
        boolean moved = false;
        try {
            fill.fill(shard);
            context.filled();
            made.moveToLane();
            moved = true;
        } finally {
            if (!moved) {
                context.endAlarms();
                made.giveUp();
            }
        }
    }

    /**
     * Marks the shard as dropped, since its tensor was cleared: calls that are still queued here do not run.
     *
     * @param givenUp run on the lane when the memory has been given up, after the work that is queued there
     */
    void drop(Runnable givenUp) {
        dropped = true;
        context.endAlarms();
        lane.execute(() -> {
            try {
                made.giveUp();
            } finally {
                givenUp.run();
            }
        });
    }

    /** Ends the delayed work, and gives the memory up. Views of it stay valid. */
    void giveUp() {
        context.endAlarms();
        made.giveUp();
    }

    /** Measures the shard, on its lane. */
    void measure(Metrics to) {
        Metrics ofTensor = to.with("tensor", spec().id().name());
        ShardBytes bytes = shard.bytes();
        ofTensor.gauge("psf.tensor.rows", "rows", "rows that exist", shard.rows());
        String meaning = "memory of the rows: values, slots of optimizers, the index, attachments of functions";
        ofTensor.with("part", "values").gauge("psf.tensor.bytes", "bytes", meaning, bytes.values());
        ofTensor.with("part", "slots").gauge("psf.tensor.bytes", "bytes", meaning, bytes.slots());
        ofTensor.with("part", "index").gauge("psf.tensor.bytes", "bytes", meaning, bytes.index());
        ofTensor.with("part", "attachments").gauge("psf.tensor.bytes", "bytes", meaning, bytes.attachments());
        Metrics ofSlice = ofTensor.with("slice", slice);
        ofSlice.gauge("psf.slice.rows", "rows", "rows of a slice", shard.rows());
        ofSlice.gauge("psf.slice.bytes", "bytes", "memory of a slice", bytes.total());
        if (shard instanceof StoredShard stored) {
            for (Object each : stored.attachments().all()) {
                if (each instanceof Metered metered) {
                    metered.measure(ofTensor);
                }
            }
        }
    }

    /** Returns what handlers see. */
    public Shard shard() {
        return shard;
    }

    TensorLayout layout() {
        return layout;
    }

    /** Returns the tensor. */
    public TensorInfo spec() {
        return layout.info();
    }

    @Override
    public int slice() {
        return slice;
    }

    /** Returns the memory of the shard. */
    String placement() {
        return placement;
    }

    /** Returns the function whose memory the shard is; null for a tensor of the model. */
    public @Nullable String owner() {
        return owner;
    }

    /** Returns the keys of the slice; of a growing table their positions. */
    public Range range() {
        return layout.range(slice);
    }

    /** Returns the stamp of this slice and its tensor's shape. */
    public short stamp() {
        return stamp;
    }

    void requireThere() {
        if (dropped) {
            throw Failures.dropped();
        }
    }

    /** Removes the state of a connection that has ended. */
    void forget(Connection gone) {
        order.forget(gone);
    }

    /** Fails calls that wait behind others. */
    void refuseWaiting(PsException why) {
        order.refuseWaiting(why);
    }

    void membersChanged(List<Member> now) {
        made.membersChanged(now);
    }

    /**
     * Begins work that is no call to this shard.
     *
     * @param call the call that it is part of
     * @param reading the function, if it is read-only and changes nothing, here and on the other shards of the lane;
     *     null for another
     */
    public void beginWork(CallInfo call, @Nullable String reading) {
        context.begin(call, reading, null);
    }

    @Override
    public void begin(CallInfo call, Serving serving) {
        context.begin(call, Serving.reading(serving), serving);
    }

    @Override
    public void meet(List<TensorId> tensors, TupleReader request) {
        context.meet(tensors, request);
    }

    @Override
    public void end() {
        context.end();
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public CallEnvironment environment() {
        return environment;
    }

    @Override
    public Object handled() {
        return shard;
    }

    @Override
    public TensorInfo tensor() {
        return layout.info();
    }

    @Override
    public CallOrder order() {
        return order;
    }

    @Override
    public HandlerCost cost() {
        return cost;
    }

    @Override
    public boolean isDropped() {
        return dropped;
    }
}
