package io.psf.api;

import io.psf.api.array.FloatArray;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
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

    /**
     * Makes the shard of a slice, or leaves the one that is there.
     *
     * @param tensor the whole tensor
     * @param slice the slice's number
     * @param range where the keys of the slice stand: the keys themselves, unless the tensor grows
     * @param optimizer how pushes change the shard
     * @param fill run once on the new shard before any other function sees it
     * @return whether the shard is new
     * @throws PsException with {@code ALREADY_EXISTS} if the tensor is there with another shape
     */
    boolean create(TensorInfo tensor, int slice, Range range, Optimizer optimizer, Fill fill);

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
     * comes.
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
