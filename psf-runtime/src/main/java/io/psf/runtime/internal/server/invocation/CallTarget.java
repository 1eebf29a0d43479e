package io.psf.runtime.internal.server.invocation;

import io.psf.api.CallInfo;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Lane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The target of a call: the node, or one of its shards. */
public interface CallTarget {
    /** Returns the lane on which the calls run. */
    Lane lane();

    /** Returns what all calls on the node share. */
    CallEnvironment environment();

    /** Returns what handlers are given: a {@link io.psf.api.Shard} or a {@link io.psf.api.Node}. */
    Object handled();

    /** Returns the tensor of the shard; null for the node. */
    @Nullable
    TensorInfo tensor();

    /** Returns the number of the shard's slice; -1 for the node. */
    int slice();

    /** Returns the order of the calls of each worker here; null on the node, where they keep none. */
    @Nullable
    CallOrder order();

    /** Returns how long handlers take here; null on the node, where it is not measured. */
    @Nullable
    HandlerCost cost();

    /** True if the tensor of the shard was cleared. */
    boolean isDropped();

    /** Begins a call, on the lane. */
    void begin(CallInfo call, Serving serving);

    /**
     * Lets the handler access the shards of other tensors, those for which its request has keys, until {@link #end}.
     * The node has none.
     *
     * @param tensors the tensors that the request's key sets name
     * @param request the request, with the stamps of the layouts by which its keys were grouped
     * @throws Refused with {@code STALE_LAYOUT} or {@code UNKNOWN_TENSOR} if one of the tensors has another layout
     *     here
     */
    void meet(List<TensorId> tensors, TupleReader request);

    /** Ends the call that has begun: its handler has returned. */
    void end();
}
