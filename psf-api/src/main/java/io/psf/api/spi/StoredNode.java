package io.psf.api.spi;

import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node with the directory for checkpoints, for the functions that save and load tensors; with its class path, for the
 * function that makes tensors; and with its listeners, for the functions that count requests. Every node implements
 * this interface. The other functions need {@link Node} alone.
 */
public interface StoredNode extends Node {
    /**
     * Returns the directory for checkpoints that this node was configured with.
     *
     * @throws PsException with {@code CONFIGURATION} if none was configured
     */
    CheckpointStore checkpoints();

    /**
     * Returns a caller with which this node calls functions for itself, whatever becomes of the call being answered.
     * Their answers are delivered on this node's lane, where it is used.
     *
     * @param limit the time for all of its calls
     */
    Caller caller(Duration limit);

    /**
     * Tells the scheduler of checkpoints from which the slices of a lost server are loaded. Where no server can be
     * lost, it succeeds.
     *
     * @return completed on this node's lane; fails with {@code ROLLED_BACK} if a lost node has come back since the
     *     rollback that the caller knew, or if it asks, and nobody has loaded since then
     */
    CompletionStage<Void> restoreFrom(RestorePoint point);

    /**
     * True unless a server is lost for good, as far as this node knows: calls to all servers that fail with {@code
     * UNAVAILABLE} now may succeed later.
     */
    boolean hasAllServers();

    /**
     * Checks that this node holds its slices. Calls of workers and clients wait until then; a server can be called by
     * others before.
     *
     * @throws PsException with {@code UNAVAILABLE} while it takes the place of a lost one and loads them
     */
    void requireRestored();

    /**
     * Returns the rank of the server that owns a key that belongs to no tensor, where calls with that key run.
     *
     * @param key a {@code long} with {@link io.psf.api.layout.ByKey}
     */
    int owner(long key);

    /** Returns the class path that this node was started with, where it finds handlers and named classes. */
    ClassLoader classPath();

    /**
     * Returns what tensors were declared as, and where their slices are. A node learns of declarations shortly after
     * their workers do.
     *
     * @param tensors their names
     * @param epoch the epoch of the cluster's state that the caller knows, such as the version of a tensor's layout;
     *     this node waits until it knows it, too
     * @return in the order of the names, completed on this node's lane; fails with {@code UNKNOWN_TENSOR} if a tensor
     *     is not declared any more. A lane must not block on it
     */
    CompletionStage<List<DeclaredTensor>> declared(List<TensorId> tensors, long epoch);

    /**
     * Runs work that blocks for long, on files for example, on a daemon thread of its own. The test kit's nodes run it
     * on their lane, after the work that is queued there.
     *
     * @param thread the thread's name
     * @return completed on this node's lane; fails with what the work throws
     */
    CompletionStage<Void> runApart(String thread, Runnable work);

    /** Returns a stage that is completed as another one is, on this node's lane. */
    <T> CompletionStage<T> onLane(CompletionStage<T> stage);

    /**
     * Runs work on each shard that this node holds, those included that are the memory of a function, as {@link
     * #onShards} does: for functions that end what calls on all shards have begun.
     *
     * @return completed on this node's lane when the work has run on all shards
     */
    CompletionStage<Void> onEveryShard(Consumer<? super Shard> work);

    /**
     * Returns what this node measures of itself, completed on this node's lane, after a second at most. A lane that is
     * busy for longer shows its last numbers.
     */
    CompletionStage<NodeNumbers> numbers();

    /** Returns the memory that the tensors of this node have. */
    MemoryUse tensorMemory();

    /**
     * Drops the shards of a tensor, as {@link #drop} does, and waits until their lanes have given the memory up: until
     * then, a claim of as much memory would fail.
     *
     * @return the number of the shards, completed on this node's lane
     */
    CompletionStage<Integer> clear(TensorId tensor);

    /**
     * Returns the listener of a type to the requests that this node handles. If it has none, one is made and added. The
     * test kit's nodes make no events.
     */
    <L extends RequestListener> L listener(Class<L> type, Supplier<? extends L> factory);
}
