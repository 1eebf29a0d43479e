package io.psf.api;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.Caller;
import io.psf.api.spi.TensorLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The server or scheduler that a function of place {@link Place#SERVER} or {@link Place#SCHEDULER} runs on. Used on the
 * node's own lane, by one thread at a time.
 */
public interface Node {
    /** What this node is. */
    Role role();

    /** Its number among the nodes of its role, from 0. */
    int rank();

    /** Who is in the cluster now. */
    List<Member> members();

    /** The call being answered. */
    CallInfo call();

    /** What this node holds of tensors now: a snapshot. The shards' values belong to their lanes. */
    Collection<ShardInfo> shards();

    /** What this node holds of one tensor now, by slice; empty if it holds nothing of it. */
    default List<ShardInfo> shards(TensorId tensor) {
        return shards().stream()
                .filter(shard -> shard.tensor().id().equals(tensor))
                .sorted(Comparator.comparingInt(ShardInfo::slice))
                .toList();
    }

    /**
     * Runs something on each shard of a tensor that this node holds, on the shard's lane, in its turn among the calls there.
     * Shards of different lanes are done side by side. The node's lane is free meanwhile.
     *
     * @param work given the shard, whose {@link Shard#call} is the call being answered here; what it returns must not be a
     *     view of the shard or its scratch memory, since other calls change them
     * @return what came of each shard, by slice, on this node's lane; empty if this node holds nothing of the tensor. It
     *     fails with what the work threw, of the lowest slice that failed, once all have run; with {@code UNKNOWN_TENSOR}
     *     if the tensor was cleared before. It must not be waited for on a lane
     */
    <T> CompletionStage<List<T>> onShards(TensorId tensor, Function<? super Shard, ? extends T> work);

    /**
     * Makes calls of other functions for the call being answered, as {@link Shard#caller} does; their answers come back on
     * this node's lane.
     *
     * @throws IllegalStateException if no call is being answered; on the scheduler, which calls nobody
     */
    Caller caller();

    /**
     * Makes the shard of a slice, or leaves the one that is there.
     *
     * @param layout how the whole tensor lies
     * @param slice the slice's number
     * @param optimizer how pushes change the shard
     * @param fill run once on the new shard before any other function sees it
     * @return whether the shard is new
     * @throws PsException with {@code ALREADY_EXISTS} if the tensor is there with another layout
     */
    boolean create(TensorLayout layout, int slice, Optimizer optimizer, Fill fill);

    /** Drops the shards of a tensor that this node holds; answers how many there were. */
    int drop(TensorId tensor);

    /**
     * A function's own state beside the node, made when first asked for and kept as long as the node.
     *
     * @param key the state's name
     * @param type the state's class
     * @param factory makes it the first time
     */
    <T> T attachment(String key, Class<T> type, Supplier<? extends T> factory);

    /**
     * Runs something on the node's lane once a delay has passed: for a deferred answer that is due by then, whoever else
     * comes. It is dropped when the node ends; what it throws is logged.
     *
     * @return to be cancelled where that is no longer needed; what is due already may still run
     */
    Future<?> after(Duration delay, Runnable work);

    /**
     * The directory for checkpoints that this node was given.
     *
     * @throws PsException with {@code CONFIGURATION} if it was given none
     */
    Path checkpoints();

    /** Gives a new shard its first values. */
    @FunctionalInterface
    interface Fill {
        /** Writes the shard's values; that of a growing table has no rows yet. */
        void fill(Shard shard);

        /**
         * Writes the values that the row of a key of a growing table begins with; zeros unless it is overridden. Depends on
         * the key alone: it is asked for again, without making a row, whenever a key that has none is pulled.
         *
         * @param key a global key
         * @param row [width] float32 zeros, the values to be; borrowed until the method returns
         */
        default void fillRow(long key, FloatArray row) {}
    }

    /**
     * One shard that a node holds.
     *
     * @param tensor the whole tensor
     * @param slice the slice's number
     * @param range the keys of the slice
     */
    record ShardInfo(TensorInfo tensor, int slice, Range range) {}
}
