package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorCaller;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.dense.DensePushPull;
import io.psf.builtin.dense.DensePushPullPsf;
import io.psf.builtin.internal.calls.Bags;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.LoneModel;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.training.EndEpochPsf;
import io.psf.builtin.push.EndPushesPsf;
import io.psf.builtin.sparse.FindRows;
import io.psf.builtin.sparse.FindRowsPsf;
import io.psf.builtin.sparse.KeyPages;
import io.psf.builtin.sparse.PullBags;
import io.psf.builtin.sparse.RemoveRows;
import io.psf.builtin.sparse.RemoveRowsPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushDensePull;
import io.psf.builtin.sparse.SparsePushDensePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.sparse.SparsePushPull;
import io.psf.builtin.sparse.SparsePushPullPsf;
import io.psf.builtin.tensor.CheckTensors;
import io.psf.builtin.tensor.CheckTensorsPsf;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.builtin.tensor.SetLearningRatePsf;
import io.psf.builtin.tensor.SetOptimizerPsf;
import io.psf.builtin.tensor.SetValuesPsf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The entry point for users: creates tensors, pushes updates and pulls values. A method to which the caller passes an
 * array returns a {@link Pending}: the call is sent at once, and the array is not copied but borrowed until {@code
 * await} returns. Any other method blocks until the answer is there. The caller's object, {@code worker}, is a worker
 * of a cluster or, in a test, the test kit's cluster.
 *
 * <p>An argument that is wrong by itself, such as a value of a spec, is an {@link IllegalArgumentException} where it is
 * made, before anything is sent. Thread-safe. Each method throws {@link io.psf.api.PsException}, at the call or from
 * {@code await}: with {@code UNKNOWN_TENSOR} if the tensor does not exist, with {@code BAD_REQUEST} if an array has a
 * wrong length, or with {@code OUT_OF_RANGE} if a key is not a row of the tensor.
 */
public final class Tensors {
    /**
     * The deadline of {@code init}. The time to fill a table depends on its size; heartbeats detect a lost server much
     * earlier.
     */
    static final Duration TO_INITIALIZE = Duration.ofMinutes(30);

    /** The number of keys on a page of {@code keys}, over all slices. */
    private static final int PAGE = 1 << 16;

    /** How long a worker waits for others at the end of an epoch. */
    private static final Duration EPOCH_LIMIT = Duration.ofHours(2);

    private Tensors() {}

    /**
     * Creates a tensor, or finds the tensor that another worker has created with the same spec. Blocks until every
     * server has its shards. If a server refuses the spec for its placement or its memory, the name stays declared with
     * it: {@link #clear} frees it for another one.
     *
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the tensor exists with another spec; with {@code
     *     BAD_REQUEST} if a server has none of the spec's placements, or not its optimizer or initializer, naming those
     *     that it has, or if an argument is invalid there; with {@code RESOURCE_EXHAUSTED} if the memory there does not
     *     suffice; with {@code UNAVAILABLE}, naming the server, if slices of an existing tensor are on a server that is
     *     lost for good. A new tensor gets no slices there
     */
    public static TensorId init(TensorCaller worker, TensorSpec spec) {
        return init(worker, List.of(spec)).get(0);
    }

    /**
     * Creates tensors together, as {@link #init(TensorCaller, TensorSpec)} does each: thousands of small ones take
     * little longer than one. Either all names are declared, or none. Should a server refuse a spec, those before it in
     * the list may have been created there.
     *
     * @param specs of different names; one may be {@link TensorSpec#beside} another of the list that comes before it
     * @return the names, in the order of the specs
     */
    public static List<TensorId> init(TensorCaller worker, List<TensorSpec> specs) {
        List<TensorDeclaration> declared =
                specs.stream().map(TensorSpec::declared).toList();
        List<TensorDeclaration> toCheck =
                declared.stream().filter(CheckTensors::isNeeded).toList();
        if (!toCheck.isEmpty()) { // else a name would be taken for a spec that the servers refuse
            onServers(worker, CheckTensorsPsf.FUNCTION, new CheckTensors.Request(toCheck));
        }
        List<TensorLayout> layouts = worker.declare(declared);
        List<TensorId> tensors = specs.stream().map(spec -> spec.tensor().id()).toList();
        long epoch = layouts.stream().mapToLong(TensorLayout::version).max().orElse(0);
        if (!tensors.isEmpty()) {
            onServers(worker, InitTensorPsf.FUNCTION, new InitTensor.Request(tensors, epoch));
        }
        List<Pending<?>> sent = new ArrayList<>();
        for (TensorSpec spec : specs) {
            FloatArray values = spec.initializer().values();
            if (values != null) {
                sent.add(SetValuesPsf.stub(worker).call(spec.tensor().id(), values));
            }
        }
        sent.forEach(Pending::await);
        return tensors;
    }

    /** Calls a function on all servers, without the lost ones: they get no slices of new tensors. */
    private static <Q, R> void onServers(TensorCaller worker, Function<Q, R> function, Q request) {
        var unused = FunctionCaller.of(worker)
                .call(function, request, null, new CallOptions(TO_INITIALIZE, 0, true, false))
                .await();
    }

    /**
     * Replaces the optimizer of a tensor, while it is trained if need be. State that the new optimizer has under the
     * same names is kept, such as the moments when Adam becomes AdamW; other state stays unused. Numbers of steps are
     * kept. A rate of {@link #setLearningRate} is forgotten. Blocks until every shard has the optimizer. Each shard
     * changes in its turn among its calls: if no push may be divided between the two, let the workers meet at a barrier
     * first.
     *
     * @throws io.psf.api.PsException with {@code BAD_REQUEST}, which names the server's optimizers, if a server does
     *     not have the optimizer
     */
    public static void setOptimizer(TensorCaller worker, TensorId tensor, OptimizerSpec optimizer) {
        SetOptimizerPsf.stub(worker)
                .call(
                        tensor,
                        worker.layout(tensor).slices(),
                        optimizer.name(),
                        optimizer.arguments(),
                        optimizer.options())
                .await();
    }

    /**
     * Sets the learning rate of a tensor's optimizer while it is trained. A schedule's factor still applies. The rate
     * is saved with the tensor, and replaces the rate of the spec when the tensor is loaded. Blocks until every shard
     * has the rate.
     *
     * @param rate the learning rate, the argument {@code lr} of the optimizer, at least 0
     * @throws IllegalArgumentException if the rate is negative or not finite
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the optimizer has no learning rate, or does not take
     *     this one, alone or with a factor of its schedule
     */
    public static void setLearningRate(TensorCaller worker, TensorId tensor, double rate) {
        if (!(rate >= 0) || !Float.isFinite((float) rate)) {
            throw new IllegalArgumentException("rate: " + rate + " (expected: >= 0)");
        }
        SetLearningRatePsf.stub(worker).call(tensor, (float) rate).await();
    }

    /** Drops a tensor with its values and its optimizer state. Blocks until every server has dropped its shards. */
    public static void clear(TensorCaller worker, TensorId tensor) {
        ClearPsf.stub(worker).call(tensor).await();
        worker.forget(tensor);
    }

    /**
     * Saves a tensor on the servers: its values, the optimizer state with the step counts, and the attachments that are
     * {@link io.psf.api.Checkpointed}. Blocks until everything is on the disk. Until then, {@link #load} finds the
     * previous save of this tensor under the same name. Each shard is saved between two calls, and the save occupies
     * the shard's lane. If all shards must contain the same pushes, let the workers meet at a barrier first.
     *
     * @param checkpoint the checkpoint's name, a path such as {@code model/epoch-3} below the servers' checkpoint
     *     directory ({@code PSF_CHECKPOINTS}, the same for all servers). Several tensors may be saved under one name,
     *     each with its own call; one save of a tensor at a time
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if a server has no checkpoint directory, or another job
     *     saves under this name; with
     *     {@code BAD_REQUEST} if the name is invalid or would lead out of that directory; with {@code STORAGE}, naming
     *     the file and the reason, if a file cannot be written; with {@code UNKNOWN_FUNCTION} if the shards are of a
     *     kind that cannot be saved
     */
    public static void save(TensorCaller worker, TensorId tensor, String checkpoint) {
        LoneModel.of(worker, tensor, checkpoint).save();
    }

    /**
     * Loads a saved tensor. Replaces the values, the optimizer state and the attachments. The numbers of servers and of
     * slices may differ from those at the save. The tensor must be initialized, with the same width and the same kind
     * of optimizer as at the save; the learning rate, the initializer and the slices may differ. It may have more rows,
     * grow though it did not, or not grow though it did, if each saved key is one of its rows: its other rows begin
     * anew. Blocks until everything is loaded. All files are verified
     * before any shard changes.
     *
     * @param checkpoint the name that the tensor was saved under
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the width or the optimizer differs, or rows are
     *     missing, or if the name is invalid or would lead out of the servers' checkpoint directory; with {@code
     *     STORAGE}, naming the file, if a file is missing or damaged; with {@code CONFIGURATION} if a server has no
     *     checkpoint directory; with {@code UNKNOWN_FUNCTION} if the shards are of a kind that cannot be loaded
     */
    public static void load(TensorCaller worker, TensorId tensor, String checkpoint) {
        LoneModel.of(worker, tensor, checkpoint).load(LoadScope.TENSORS);
    }

    /**
     * Lists the tensors that the servers hold, in the order of their names, with the memory that they occupy. Each
     * shard is measured on its lane, in its turn among the calls there, which takes microseconds: the list waits for
     * the work that the lanes have queued, once, and does not delay it. A tensor that is initialized or cleared
     * meanwhile may be listed in parts, or not at all.
     */
    public static List<TensorSummary> list(Caller worker) {
        return TensorSummary.of(ListTensorsPsf.stub(worker).call().await().held());
    }

    /**
     * Returns the rounds of a synchronous tensor so far, the late pushes, and the pushes to any tensor that were left
     * out. Blocks until the servers have answered.
     */
    public static Rounds rounds(TensorCaller worker, TensorId tensor) {
        return Rounds.of(worker, tensor);
    }

    /**
     * Says that this worker pushes no more to a synchronous tensor, such as at the end of its training: the rounds of
     * the other workers no longer wait for it, with a {@link TensorSpec#quorum} and without. Without this call, a
     * worker that has fewer batches than the others, or is done before them, is waited for as long as its {@code
     * Worker} is open.
     *
     * <p>The earlier pushes of this worker have been answered when the call is, and count in their rounds. A round that
     * has waited for this worker alone closes now, with the pushes that it has: {@link Updates#MEAN} divides by their
     * number. If this worker pushes again, it takes part again: its push belongs to the oldest open round, as ever, and
     * the later rounds wait for it. With a quorum, that push is late if a round has closed meanwhile. Once all workers
     * have ended their pushes, all of them are waited for again: let them pass a barrier before the next push. {@link
     * #endEpoch} does all that for a whole model.
     *
     * <p>Blocks until the servers know it. Does nothing on an asynchronous tensor.
     */
    public static void endPushes(TensorCaller worker, TensorId tensor) {
        EndPushesPsf.stub(worker).call(tensor).await();
    }

    /**
     * Ends this worker's epoch: for workers that have unequal numbers of batches. From then on, no round of a
     * synchronous tensor, no all-reduce and no clock waits for this worker. Blocks until all present workers have ended
     * the epoch; then all of them are waited for again. So it is a barrier, and one event for all tensors and all
     * servers: no round has pushes of two epochs. Every worker calls it equally often. A worker that has left or is
     * lost is not waited for.
     *
     * <p>Awaits this worker's earlier calls first. The deadline is two hours, since other workers may have much more to
     * do.
     *
     * @return the number of the epoch that has ended, from 1, the same for all workers
     * @throws io.psf.api.PsException the failure of an earlier call that was not awaited; with {@code TIMED_OUT},
     *     naming the workers that have not ended the epoch: this worker then calls it again; with {@code BAD_REQUEST}
     *     if the caller is no worker
     */
    public static long endEpoch(ClusterCaller worker) {
        return endEpoch(worker, EPOCH_LIMIT);
    }

    /** As {@link #endEpoch(ClusterCaller)}, with a deadline of its own. */
    public static long endEpoch(ClusterCaller worker, Duration limit) {
        var unused = worker.rank(); // refused before anything is sent
        worker.awaitAll();
        return EndEpochPsf.stub(worker)
                .withDeadline(limit)
                .call(ModelWorks.SERVER)
                .await()
                .epoch();
    }

    /**
     * Pulls all values.
     *
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<DensePull.Response> pull(TensorCaller worker, TensorId tensor, float[] into) {
        return DensePullPsf.stub(worker).call(tensor, new DensePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Pulls all values. Blocks until they are received.
     *
     * @return [rows, width] float32, owned by the caller
     */
    public static float[] pull(TensorCaller worker, TensorId tensor) {
        float[] into = new float
                [worker.layout(tensor).length(worker.layout(tensor).info().width())];
        pull(worker, tensor, into).await();
        return into;
    }

    /**
     * Pushes an update of all values. Answered once the update is in the values.
     *
     * @param update [rows, width] float32; borrowed until await returns
     */
    public static Pending<DensePush.Response> push(TensorCaller worker, TensorId tensor, float[] update) {
        return DensePushPsf.stub(worker).call(tensor, FloatArray.wrap(update));
    }

    /**
     * Pushes an update of all values and pulls the values with the update applied.
     *
     * @param update [rows, width] float32; borrowed until await returns
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<DensePushPull.Response> pushPull(
            TensorCaller worker, TensorId tensor, float[] update, float[] into) {
        return DensePushPullPsf.stub(worker)
                .call(tensor, FloatArray.wrap(update), new DensePushPull.Response(FloatArray.wrap(into)));
    }

    /**
     * Pulls some rows. A key of a growing table without a row yields the initial values of its row; no row is created.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param into [n, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePull.Response> pullRows(
            TensorCaller worker, TensorId tensor, long[] keys, float[] into) {
        return SparsePullPsf.stub(worker)
                .call(tensor, LongArray.wrap(keys), new SparsePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Pushes an update of some rows. The updates of a duplicate key are summed before they are sent.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    public static Pending<SparsePush.Response> pushRows(
            TensorCaller worker, TensorId tensor, long[] keys, float[] update) {
        return SparsePushPsf.stub(worker).call(tensor, LongArray.wrap(keys), FloatArray.wrap(update));
    }

    /**
     * Pushes an update of some rows and pulls some rows, the same or others, with the update applied.
     *
     * @param pushKeys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param pullKeys [m] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param into [m, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePushPull.Response> pushPullRows(
            TensorCaller worker, TensorId tensor, long[] pushKeys, float[] update, long[] pullKeys, float[] into) {
        return SparsePushPullPsf.stub(worker)
                .call(
                        tensor,
                        LongArray.wrap(pushKeys),
                        FloatArray.wrap(update),
                        LongArray.wrap(pullKeys),
                        new SparsePushPull.Response(FloatArray.wrap(into)));
    }

    /**
     * Pushes an update of some rows and pulls all values with the update applied.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePushDensePull.Response> pushRowsPull(
            TensorCaller worker, TensorId tensor, long[] keys, float[] update, float[] into) {
        return SparsePushDensePullPsf.stub(worker)
                .call(
                        tensor,
                        LongArray.wrap(keys),
                        FloatArray.wrap(update),
                        new SparsePushDensePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Pulls the sum or the mean of the rows of each bag of keys: one row a bag. Rows are as in {@link #pullRows}.
     *
     * @param keys [n] int64, row ids, the first bag's ids first, duplicates allowed; borrowed until await returns
     * @param counts [bags] int32, the number of keys of each bag, 0 allowed
     * @param into [bags, width] float32, filled, with zeros for a bag without keys; borrowed until await returns
     */
    public static Pending<PullBags.Response> pullBags(
            TensorCaller worker, TensorId tensor, long[] keys, int[] counts, Pooling pooling, float[] into) {
        return new Bags(worker, tensor, keys, counts).pull(pooling == Pooling.MEAN, into);
    }

    /**
     * Pushes an update of the rows of bags of keys, such as the gradient by what {@link #pullBags} returns: the update
     * of a key is the update of its bag, for {@code MEAN} divided by the number of the bag's keys.
     *
     * @param keys [n] int64, as in {@link #pullBags}; the updates of a duplicate key are summed before they are sent
     * @param counts [bags] int32, the number of keys of each bag, 0 allowed
     * @param update [bags, width] float32
     */
    public static Pending<SparsePush.Response> pushBags(
            TensorCaller worker, TensorId tensor, long[] keys, int[] counts, Pooling pooling, float[] update) {
        return new Bags(worker, tensor, keys, counts).push(pooling == Pooling.MEAN, update);
    }

    /**
     * Finds which keys of a growing table have a row. Creates no row.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param present [n] int8, filled with 1 for a key that has a row and 0 for a key that has none; borrowed until
     *     await returns
     */
    public static Pending<FindRows.Response> findRows(
            TensorCaller worker, TensorId tensor, long[] keys, byte[] present) {
        return FindRowsPsf.stub(worker)
                .call(tensor, LongArray.wrap(keys), new FindRows.Response(ByteArray.wrap(present)));
    }

    /**
     * Removes rows of a growing table, with their optimizer state and with what caches and functions store for them. A
     * key without a row is ignored. A removed key that is pushed again gets a new row with the initial values. The
     * memory is reused for new rows.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @return the pending answer: the number of rows that were removed
     */
    public static Pending<RemoveRows.Response> removeRows(TensorCaller worker, TensorId tensor, long[] keys) {
        return RemoveRowsPsf.stub(worker).call(tensor, LongArray.wrap(keys));
    }

    /**
     * Lists the keys that have a row, page by page. The iterator requests a page on each {@code next} and blocks until
     * it is received, so no more than about 64 Ki keys are in memory at once. A key that has a row during the whole
     * iteration is listed. A key that is added during the iteration is not. A key may be listed twice if other keys are
     * removed during the iteration.
     *
     * <pre>{@code
     * for (long[] keys : Tensors.keys(worker, table)) {
     *     ..
     * }
     * }</pre>
     *
     * @return pages of keys: [n] int64 each, in no particular order, owned by the caller
     */
    public static Iterable<long[]> keys(TensorCaller worker, TensorId tensor) {
        return () -> new KeyPages(
                worker,
                tensor,
                Math.max(1, PAGE / worker.layout(tensor).servers().size()));
    }
}
