package io.psf.kvstore;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.OptimizerStates;
import io.psf.builtin.Optimizers;
import io.psf.builtin.PendingAll;
import io.psf.builtin.Tensors;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store with the verbs of MXNet's distributed KVStore, over tensors. A key is a {@code String} or an {@code Integer};
 * one store has keys of one kind.
 *
 * <pre>{@code
 * try (KVStore kv = KVStore.create(worker, "dist_sync")) {
 *     kv.init("w", values, 2, 3);             // collective: the value of rank 0 wins
 *     kv.push("w", gradient).await();         // answered once all workers have pushed
 *     kv.pull("w", into).await();
 * }
 * }</pre>
 *
 * <p>A method that returns a {@link Pending} sends the call at once; its arrays are borrowed until {@code await}
 * returns. The collective methods, {@code init}, {@code broadcast}, {@code setOptimizer} and {@code barrier}, are
 * called by every worker in the same order, and block. Each method throws {@link PsException}, at the call or from
 * {@code await}: with {@code UNKNOWN_TENSOR} if the key has not been initialized; with {@code BAD_REQUEST} if the key
 * is of the wrong kind or an array has a wrong length. Not thread-safe: used by one thread.
 */
public final class KVStore implements AutoCloseable {
    private final ClusterCaller worker;
    private final KVStoreType type;
    private final CollectiveInit collective;
    private final KVStoreKeys keys = new KVStoreKeys();
    private final KVStoreChecks checks;
    private final Set<TensorId> initialized = new LinkedHashSet<>();
    private @Nullable OptimizerSpec optimizer;
    /** True if a push of rows goes to the slices of the rows alone. */
    private boolean stepsRowsAlone;

    private @Nullable Compressor compressor;

    private KVStore(ClusterCaller worker, KVStoreType type) {
        this.worker = worker;
        this.type = type;
        this.checks = new KVStoreChecks(worker);
        this.collective = new CollectiveInit(worker, type.updates());
    }

    /**
     * Creates a store. Sends nothing.
     *
     * @param worker not closed by the store
     * @param type {@code "dist_sync"}: a round sums one push of each worker and is applied once. {@code "dist_async"}:
     *     each push is applied on arrival. MXNet's other names of the two are accepted
     * @throws IllegalArgumentException listing the types, if there is no such type
     */
    public static KVStore create(ClusterCaller worker, String type) {
        return new KVStore(worker, KVStoreType.of(type));
    }

    /** Returns the tensor of a key, for PS functions. */
    public TensorId tensor(Object key) {
        return keys.of(key);
    }

    /**
     * Initializes a key. Collective: the value of rank 0 wins. A key that exists with the same shape keeps its value.
     *
     * @param values float32, in row-major order; of the other ranks only the shape counts
     * @param shape the sizes of the dimensions; without any, the shape of a vector. A row is an index of the first
     *     dimension
     * @throws PsException with {@code ALREADY_EXISTS} if the key exists with another shape; with {@code BAD_REQUEST} if
     *     the shape is not the values' shape; with {@code UNKNOWN_TENSOR} if rank 0 has failed
     */
    public void init(Object key, float[] values, int... shape) {
        init(List.of(key), List.of(values), List.of(shape));
    }

    /**
     * Initializes keys, as {@link #init(Object, float[], int...)}, with one barrier. The shapes of all keys are checked
     * before any key is created.
     *
     * @param shapes the shape of each key; an empty one for a vector
     */
    public void init(List<?> keys, List<float[]> values, List<int[]> shapes) {
        List<TensorInfo> declared = new ArrayList<>();
        collective.together(() -> {
            List<TensorId> tensors = this.keys.distinct(keys, values.size());
            var unused = this.keys.distinct(keys, shapes.size());
            for (int i = 0; i < tensors.size(); i++) {
                declared.add(CollectiveInit.shaped(tensors.get(i), values.get(i).length, shapes.get(i)));
            }
            if (rank() == 0) {
                collective.create(declared, values, optimizer == null ? Optimizers.assign() : optimizer);
            }
        });
        declared.forEach(collective::requireShape);
        declared.forEach(tensor -> initialized.add(tensor.id()));
    }

    /**
     * Pushes a gradient, or any other update, of a key.
     *
     * @param gradient float32, as many elements as the key has
     * @return answered once the update is in the values
     * @throws PsException with {@code BAD_REQUEST} if the store is {@code dist_async} and has no optimizer
     */
    public Pending<?> push(Object key, float[] gradient) {
        return push(requirePush(key), gradient);
    }

    /**
     * Pushes to several keys, as {@link #push(Object, float[])}. All keys and lengths are checked before anything is
     * sent. If a push fails later, on a server, the others are applied all the same.
     *
     * @throws PsException as {@link #push(Object, float[])}, from this method if a key or a length is wrong; with
     *     {@code BAD_REQUEST} if a key occurs twice
     */
    public Pending<?> push(List<?> keys, List<float[]> gradients) {
        requireOptimizer();
        List<TensorId> tensors = this.keys.distinct(keys, gradients.size());
        checks.gradients(tensors, gradients, compressor != null);
        return PendingAll.of(tensors.size(), i -> push(tensors.get(i), gradients.get(i)));
    }

    /**
     * Pushes an update of some rows. The updates of a duplicate row are summed.
     *
     * @param rows [n] int64, indices of the first dimension, in any order; none are allowed
     * @param gradient [n, width] float32
     * @return answered once the update is in the values
     * @throws PsException with {@code OUT_OF_RANGE} if a row is not one of the key's; with {@code BAD_REQUEST} if the
     *     store is {@code dist_async} and has no optimizer, or has gradient compression
     */
    public Pending<?> push(Object key, long[] rows, float[] gradient) {
        if (compressor != null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "push of rows of key \"" + key
                            + "\" with gradient compression (expected: a push of all rows, or a store without compression)");
        }
        TensorId tensor = requirePush(key);
        return stepsRowsAlone && initialized.contains(tensor)
                ? PushRowsPsf.stub(worker).call(tensor, LongArray.wrap(rows), FloatArray.wrap(gradient))
                : Tensors.pushRows(worker, tensor, rows, gradient);
    }

    private Pending<?> push(TensorId tensor, float[] gradient) {
        if (compressor != null) {
            return compressor.push(tensor, gradient);
        }
        return Tensors.push(worker, tensor, gradient);
    }

    private TensorId requirePush(Object key) {
        requireOptimizer();
        return keys.of(key);
    }

    private void requireOptimizer() {
        if (type == KVStoreType.ASYNC && optimizer == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "push to a store of type " + type + " without an optimizer (expected: setOptimizer before)");
        }
    }

    /**
     * Pulls a key. Waits for this worker's earlier pushes to the key, and for no other worker.
     *
     * @param into float32, as many elements as the key has; filled
     */
    public Pending<?> pull(Object key, float[] into) {
        return Tensors.pull(worker, keys.of(key), into);
    }

    /**
     * Pulls several keys, as {@link #pull(Object, float[])}. All keys and lengths are checked before anything is sent.
     */
    public Pending<?> pull(List<?> keys, List<float[]> into) {
        List<TensorId> tensors = this.keys.all(keys, into.size());
        checks.into(tensors, into);
        return PendingAll.of(tensors.size(), i -> Tensors.pull(worker, tensors.get(i), into.get(i)));
    }

    /**
     * Pushes a gradient and pulls the values with the update applied: with the whole round applied, if the store is
     * {@code dist_sync}.
     *
     * @param gradient float32, as many elements as the key has
     * @param into float32, as many elements as the key has; filled
     * @throws PsException as {@link #push(Object, float[])}
     */
    public Pending<?> pushPull(Object key, float[] gradient, float[] into) {
        return pushPull(requirePush(key), gradient, into);
    }

    /**
     * Pushes to and pulls several keys, as {@link #pushPull(Object, float[], float[])}. A key must not occur twice. All
     * keys and lengths are checked before anything is sent.
     */
    public Pending<?> pushPull(List<?> keys, List<float[]> gradients, List<float[]> into) {
        requireOptimizer();
        List<TensorId> tensors = this.keys.distinct(keys, gradients.size());
        var unused = this.keys.all(keys, into.size());
        checks.gradients(tensors, gradients, compressor != null);
        checks.into(tensors, into);
        return PendingAll.of(tensors.size(), i -> pushPull(tensors.get(i), gradients.get(i), into.get(i)));
    }

    private Pending<?> pushPull(TensorId tensor, float[] gradient, float[] into) {
        if (compressor != null) {
            checks.into(List.of(tensor), List.of(into)); // two calls: the push would have been sent
            return PendingAll.of(2, call -> call == 0 ? push(tensor, gradient) : Tensors.pull(worker, tensor, into));
        }
        return Tensors.pushPull(worker, tensor, gradient, into);
    }

    /**
     * Initializes a key as {@link #init(Object, float[], int...)}, and pulls it.
     *
     * @param into float32, as many elements as the key has; filled
     */
    public void broadcast(Object key, float[] values, float[] into, int... shape) {
        init(key, values, shape);
        pull(key, into).await();
    }

    /**
     * Pulls some rows of a key.
     *
     * @param rows [n] int64, indices of the first dimension, in any order, duplicates allowed
     * @param into [n, width] float32, filled
     * @throws PsException with {@code OUT_OF_RANGE} if a row is not one of the key's
     */
    public Pending<?> rowSparsePull(Object key, long[] rows, float[] into) {
        return Tensors.pullRows(worker, keys.of(key), rows, into);
    }

    /**
     * Pulls some rows of several keys, as {@link #rowSparsePull(Object, long[], float[])}. All keys, rows and lengths
     * are checked before anything is sent.
     */
    public Pending<?> rowSparsePull(List<?> keys, List<long[]> rows, List<float[]> into) {
        List<TensorId> tensors = this.keys.all(keys, into.size());
        var unused = this.keys.all(keys, rows.size());
        checks.rows(tensors, rows, into);
        return PendingAll.of(tensors.size(), i -> Tensors.pullRows(worker, tensors.get(i), rows.get(i), into.get(i)));
    }

    /**
     * Sets the optimizer, which runs on the servers, of all keys, also of keys that are initialized later.
     * Collective: the optimizer of rank 0 wins. Each worker awaits its pushes before. The values do not change; state
     * that the new optimizer has under the same names is kept.
     *
     * @throws PsException with {@code BAD_REQUEST} if a server does not have the optimizer
     */
    public void setOptimizer(OptimizerSpec optimizer) {
        worker.barrier();
        collective.together(() -> {
            if (rank() == 0) {
                initialized.forEach(tensor -> Tensors.setOptimizer(worker, tensor, optimizer));
            }
        });
        this.optimizer = optimizer;
        this.stepsRowsAlone = type == KVStoreType.ASYNC && isOfRows(optimizer);
    }

    /** True if the optimizer is known here, and a push to some rows is no matter of the slices without them. */
    private static boolean isOfRows(OptimizerSpec optimizer) {
        try {
            return optimizer.create() instanceof TiledOptimizer tiled && !tiled.needsEveryPush();
        } catch (IllegalArgumentException | PsException e) { // an optimizer of the servers' class path alone
            return false;
        }
    }

    /**
     * Saves the optimizers' states of the store's keys to files of the servers. Replaces what was saved under the name
     * before. Called by one worker, while no worker pushes: between two barriers.
     *
     * @param name a path such as {@code ctr/epoch-3} below the servers' checkpoint directory ({@code PSF_CHECKPOINTS})
     * @throws PsException as {@link OptimizerStates#save}
     */
    public void saveOptimizerStates(String name) {
        OptimizerStates.save(worker, List.copyOf(initialized), name);
    }

    /**
     * Loads states that {@link #saveOptimizerStates} has saved, on any number of servers. The keys that were saved have
     * been initialized, with the same shapes and the same kind of optimizer. Their values do not change. Called by one
     * worker, as the save.
     *
     * @throws PsException as {@link OptimizerStates#load}; then nothing has changed
     */
    public void loadOptimizerStates(String name) {
        OptimizerStates.load(worker, name);
    }

    /**
     * Compresses this worker's later pushes of gradients. What a push does not send remains in a residual on this
     * worker, is added to the next gradient of the same key, and is lost with the store.
     *
     * @param type {@code "2bit"}: an element is the threshold, minus the threshold, or 0. {@code "1bit"}: an element is
     *     1 if it is above the threshold, otherwise -1
     * @param threshold above 0 for {@code "2bit"}
     * @throws IllegalArgumentException if there is no such type, or the threshold is invalid
     */
    public void setGradientCompression(String type, double threshold) {
        this.compressor = Compressor.of(worker, type, threshold);
    }

    /**
     * Blocks until every present worker has called the barrier as often as this one. Does not wait for pushes in
     * flight: await them first.
     *
     * @throws PsException as {@link ClusterCaller#barrier()}
     */
    public void barrier() {
        worker.barrier();
    }

    /**
     * Ends this worker's epoch, for workers that have unequal numbers of batches, and blocks until all workers have
     * ended it, as {@link Tensors#endEpoch}: pushes of a {@code dist_sync} store do not wait for a worker that has
     * ended the epoch.
     */
    public void endEpoch() {
        Tensors.endEpoch(worker);
    }

    /** Returns this worker's rank, from 0. */
    public int rank() {
        return worker.rank();
    }

    /** Returns the number of workers that the cluster began with. */
    public int numWorkers() {
        return worker.workers();
    }

    /**
     * Returns the number of nodes that are lost: that have not sent a heartbeat in time, or whose process has ended
     * without leaving. A node that has left is not counted.
     */
    public int numDeadNode() {
        return worker.lost().size();
    }

    /** Returns the number of nodes of a role that are lost, as {@link #numDeadNode()}. */
    public int numDeadNode(Role role) {
        return (int) worker.lost().stream().filter(node -> node.role() == role).count();
    }

    /**
     * Runs a command on every server. Blocks until all have answered.
     *
     * @param head the number of a {@link io.psf.builtin.kvstore.KVStoreCommand} on the servers' class path
     * @param body the text for the command
     * @return the answers, in the order of the servers' ranks
     * @throws PsException with {@code BAD_REQUEST}, listing the commands, if a server has none of that number
     */
    public List<String> sendCommandToServers(int head, String body) {
        return SendCommandPsf.stub(worker).call(head, body).await().answers();
    }

    /**
     * Blocks until every earlier call on the store's keys has ended. The worker and the keys remain.
     *
     * @throws PsException the failure of the first call that failed and was not awaited
     */
    @Override
    public void close() {
        PsException first = null;
        for (TensorId tensor : keys.tensors()) {
            try {
                worker.await(tensor);
            } catch (PsException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
