package io.psf.api;

import io.psf.api.array.FloatArray;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server or scheduler that a function of place {@link Place#SERVER} or {@link Place#SCHEDULER} runs on. Used on the
 * node's own lane, by one thread at a time.
 */
public interface Node {
    /** The placement of shards in a server's own memory, which every server has. */
    String HOST = "host";

    /** The placement of shards in the memory of a server's accelerators, which servers with such a device have. */
    String DEVICE = "device";

    /** Returns this node's role. */
    Role role();

    /** Returns this node's number among the nodes of its role, from 0. */
    int rank();

    /** Returns the current members of the cluster. */
    List<Member> members();

    /** Returns the call being answered. */
    CallInfo call();

    /**
     * Returns a snapshot of the shards that this node holds, without the shards that are the
     * {@link Fill#memoryOf memory of a function}. The shards' values belong to their lanes.
     */
    Collection<ShardInfo> shards();

    /** Returns a snapshot of this node's shards of one tensor, in slice order; empty if this node holds none. */
    default List<ShardInfo> shards(TensorId tensor) {
        return shards().stream()
                .filter(shard -> shard.tensor().id().equals(tensor))
                .sorted(Comparator.comparingInt(ShardInfo::slice))
                .toList();
    }

    /**
     * Runs {@code work} on each shard of a tensor that this node holds. It runs on the shard's lane, in its turn among
     * the calls there. Shards on different lanes run in parallel. The node's lane is not blocked meanwhile.
     *
     * @param work receives the shard, whose {@link Shard#call} is the call being answered here; its result must not be
     *     a view of the shard or of the shard's scratch memory, since other calls change them
     * @return the results of the shards in slice order, completed on this node's lane; empty if this node holds no
     *     shard of the tensor. The stage fails once all shards have run, with the exception of the lowest slice that
     *     failed; it fails with {@code UNKNOWN_TENSOR} if the tensor was cleared before. A lane must not block on it
     * @throws PsException with {@code BAD_REQUEST} if the shards are the {@link Fill#memoryOf memory of another
     *     function}
     */
    <T> CompletionStage<List<T>> onShards(TensorId tensor, Function<? super Shard, ? extends T> work);

    /**
     * Returns the caller that calls other functions on behalf of the call being answered, as {@link Shard#caller} does.
     * Their answers are delivered on this node's lane.
     *
     * @throws IllegalStateException if no call is being answered; always on the scheduler, which makes no calls
     */
    Caller caller();

    /**
     * Creates the shard of a slice in this node's own memory, or leaves the existing shard unchanged.
     *
     * @param layout the layout of the whole tensor
     * @param slice the slice's number
     * @param optimizer applies pushes to the shard
     * @param fill run once on the new shard before any other function sees it
     * @return true if the shard is new
     * @throws PsException with {@code ALREADY_EXISTS} if the tensor exists with another layout
     */
    default boolean create(TensorLayout layout, int slice, Optimizer optimizer, Fill fill) {
        return create(layout, slice, HOST, optimizer, fill);
    }

    /**
     * Creates the shard of a slice at a placement, or leaves the existing shard unchanged.
     *
     * @param layout the layout of the whole tensor
     * @param slice the slice's number
     * @param placement the memory of the shard: {@link #HOST}, or another one that this node has. Several names,
     *     separated by commas, are alternatives: the node uses the first placement that it has and whose memory
     *     suffices
     * @param optimizer applies pushes to the shard
     * @param fill run once on the new shard before any other function sees it; if memory does not suffice for that, run
     *     again on the shard at the next alternative
     * @return true if the shard is new
     * @throws PsException with {@code ALREADY_EXISTS} if the tensor exists with another layout; with {@code
     *     BAD_REQUEST} if this node has none of the placements; with {@code RESOURCE_EXHAUSTED} if no memory suffices
     */
    boolean create(TensorLayout layout, int slice, String placement, Optimizer optimizer, Fill fill);

    /**
     * Drops the shards of a tensor that this node holds, and returns their number.
     *
     * @throws PsException with {@code BAD_REQUEST} if they are the {@link Fill#memoryOf memory of another function}
     */
    int drop(TensorId tensor);

    /**
     * Returns a function's own state on this node. The state is created on the first request and retained as long as
     * the node. State that is {@link AutoCloseable} is closed, on the node's lane, when the node ends.
     *
     * @param key the state's name
     * @param type the state's class
     * @param factory creates the state on the first request
     */
    <T> T attachment(String key, Class<T> type, Supplier<? extends T> factory);

    /**
     * Runs {@code work} on the node's lane after a delay, for example to complete a deferred answer by a time limit
     * even if no further call arrives. The work is dropped when the node ends. An exception that it throws is logged.
     *
     * @return cancels the work; work that is already due may still run
     */
    Future<?> after(Duration delay, Runnable work);

    /** Sets the initial values of a new shard. */
    @FunctionalInterface
    interface Fill {
        /** Writes the shard's values. The shard of a growing table has no rows yet. */
        void fill(Shard shard);

        /**
         * Writes the initial values of a key's row in a growing table; zeros unless it is overridden. The values must
         * depend on the key alone: this method is called again, without creating a row, whenever a key that has no row
         * is pulled.
         *
         * @param key a global key
         * @param row [width] float32, zeros on entry, receives the values; borrowed until the method returns
         */
        default void fillRow(long key, FloatArray row) {}

        /**
         * Returns the name of the function whose memory the shard is; null, the default, for a tensor of the model. The
         * memory of a function is not among the {@link Node#shards}, and is used only by the function itself and by
         * those whose names begin with its name and a dot: a call of another function fails with {@code BAD_REQUEST}.
         */
        default @Nullable String memoryOf() {
            return null;
        }
    }

    /**
     * One shard that a node holds.
     *
     * @param tensor the whole tensor
     * @param slice the slice's number
     * @param range the keys of the slice
     * @param placement the memory of the shard: {@link #HOST}, or another one that the node has
     */
    record ShardInfo(TensorInfo tensor, int slice, Range range, String placement) {}
}
