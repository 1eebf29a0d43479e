package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.TensorLayout;
import io.psf.builtin.checkpoint.Checkpoints;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.dense.DensePushPull;
import io.psf.builtin.dense.DensePushPullPsf;
import io.psf.builtin.sparse.FindRows;
import io.psf.builtin.sparse.FindRowsPsf;
import io.psf.builtin.sparse.KeyPages;
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
import io.psf.builtin.tensor.ClearPsf;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.runtime.Worker;
import java.time.Duration;

/**
 * What a user starts with: make a tensor, push updates, pull values. Each call is sent at once and answered later; the
 * arrays given to it are the caller's, are not copied, and are borrowed until {@code await} returns.
 *
 * <p>All of it may be done by several threads. Each method throws {@link io.psf.api.PsException} with
 * {@code UNKNOWN_TENSOR}, {@code BAD_REQUEST} for an array of a wrong length, or {@code OUT_OF_RANGE} for a key that is
 * no row of the tensor, at the call or from {@code await}.
 */
public final class Tensors {
    /** Filling a table takes as long as its size says; a lost server is noticed by its heartbeats. */
    private static final Duration TO_INITIALIZE = Duration.ofMinutes(30);

    /** Keys that are listed at once, of all slices together. */
    private static final int PAGE = 1 << 16;

    private Tensors() {}

    /**
     * Makes a tensor, or finds the one that another worker has made of the same spec. Returns when every server has its
     * shards.
     *
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the tensor is there with another spec
     */
    public static TensorId init(Worker worker, TensorSpec spec) {
        TensorLayout layout = worker.declare(spec.tensor(), spec.slices(), spec.beside(), spec.declaration());
        Initializer initializer = spec.initializer();
        InitTensorPsf.stub(worker)
                .withDeadline(TO_INITIALIZE)
                .call(
                        spec.tensor().id(),
                        spec.tensor().rows(),
                        spec.tensor().width(),
                        initializer.distribution(),
                        initializer.a(),
                        initializer.b(),
                        initializer.seed(),
                        spec.optimizer().rule(),
                        FloatArray.wrap(spec.optimizer().values()),
                        spec.updates() != Updates.EACH,
                        spec.updates() == Updates.MEAN,
                        LongArray.wrap(layout.bounds().stream()
                                .mapToLong(Long::longValue)
                                .toArray()),
                        IntArray.wrap(layout.servers().stream()
                                .mapToInt(Integer::intValue)
                                .toArray()),
                        layout.lanes())
                .await();
        return spec.tensor().id();
    }

    /** Drops a tensor, with its values and its optimizer's state. Returns when every server has dropped its shards. */
    public static void clear(Worker worker, TensorId tensor) {
        ClearPsf.stub(worker).call(tensor).await();
        worker.forget(tensor);
    }

    /**
     * Saves a tensor on the servers: its values, the optimizer's state with its step counts, and the attachments that are
     * {@link io.psf.api.Checkpointed}. Returns when all of it is on the disk; until then, what was saved of this tensor
     * under the same name before is what {@link #load} finds. Each shard is saved between two calls, and its lane does
     * nothing else meanwhile: let the workers come to a barrier if all shards are to have the same pushes.
     *
     * @param checkpoint the checkpoint's name, a path such as {@code model/epoch-3} below the directory that the servers
     *     were given ({@code PSF_CHECKPOINTS}, the same for all of them); several tensors may be saved under one name,
     *     each on its own, one save of a tensor at a time
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if a server was given no directory, with
     *     {@code BAD_REQUEST} if the name would lead out of it, with {@code STORAGE}, naming the file and the reason, if a
     *     file cannot be written
     */
    public static void save(Worker worker, TensorId tensor, String checkpoint) {
        Checkpoints.save(worker, worker.layout(tensor).info(), checkpoint);
    }

    /**
     * Loads what has been saved of a tensor in the place of its values, the optimizer's state and the attachments, on as
     * many servers and slices as there are now. The tensor has been initialized, in the shape and with the kind of
     * optimizer that it was saved with; its learning rate, initializer and slices may be others. Returns when all of it
     * is there. All files are verified before any shard changes.
     *
     * @param checkpoint the name that it was saved under
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if shape or optimizer differ, or the name would lead out of
     *     the servers' directory, with {@code STORAGE}, naming the file, if one is missing or damaged, with
     *     {@code CONFIGURATION} if a server was given no directory
     */
    public static void load(Worker worker, TensorId tensor, String checkpoint) {
        Checkpoints.load(worker, tensor, checkpoint);
    }

    /**
     * Fetches all values.
     *
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<DensePull.Response> pull(Worker worker, TensorId tensor, float[] into) {
        return DensePullPsf.stub(worker).call(tensor, new DensePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Fetches all values, and waits.
     *
     * @return [rows, width] float32, the caller's own
     */
    public static float[] pull(Worker worker, TensorId tensor) {
        float[] into = new float
                [worker.layout(tensor).length(worker.layout(tensor).info().width())];
        pull(worker, tensor, into).await();
        return into;
    }

    /**
     * Sends an update of all values.
     *
     * @param update [rows, width] float32; borrowed until await returns
     */
    public static Pending<DensePush.Response> push(Worker worker, TensorId tensor, float[] update) {
        return DensePushPsf.stub(worker).call(tensor, FloatArray.wrap(update));
    }

    /**
     * Sends an update of all values and fetches the values that it leads to.
     *
     * @param update [rows, width] float32; borrowed until await returns
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<DensePushPull.Response> pushPull(
            Worker worker, TensorId tensor, float[] update, float[] into) {
        return DensePushPullPsf.stub(worker)
                .call(tensor, FloatArray.wrap(update), new DensePushPull.Response(FloatArray.wrap(into)));
    }

    /**
     * Fetches some rows. A key of a growing table that has no row has the values that its row would begin with; none is made.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param into [n, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePull.Response> pullRows(Worker worker, TensorId tensor, long[] keys, float[] into) {
        return SparsePullPsf.stub(worker)
                .call(tensor, LongArray.wrap(keys), new SparsePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Sends an update of some rows. The updates of a row that occurs more than once are summed before they are sent.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    public static Pending<SparsePush.Response> pushRows(Worker worker, TensorId tensor, long[] keys, float[] update) {
        return SparsePushPsf.stub(worker).call(tensor, LongArray.wrap(keys), FloatArray.wrap(update));
    }

    /**
     * Sends an update of some rows and fetches some rows, the same or others, with the update in them.
     *
     * @param pushKeys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param pullKeys [m] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param into [m, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePushPull.Response> pushPullRows(
            Worker worker, TensorId tensor, long[] pushKeys, float[] update, long[] pullKeys, float[] into) {
        return SparsePushPullPsf.stub(worker)
                .call(
                        tensor,
                        LongArray.wrap(pushKeys),
                        FloatArray.wrap(update),
                        LongArray.wrap(pullKeys),
                        new SparsePushPull.Response(FloatArray.wrap(into)));
    }

    /**
     * Sends an update of some rows and fetches all values that it leads to.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    public static Pending<SparsePushDensePull.Response> pushRowsPull(
            Worker worker, TensorId tensor, long[] keys, float[] update, float[] into) {
        return SparsePushDensePullPsf.stub(worker)
                .call(
                        tensor,
                        LongArray.wrap(keys),
                        FloatArray.wrap(update),
                        new SparsePushDensePull.Response(FloatArray.wrap(into)));
    }

    /**
     * Tells which keys of a growing table have a row. None is made.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param present [n], filled with 1 for a key that has a row, and with 0 for one that has none; borrowed until await
     *     returns
     */
    public static Pending<FindRows.Response> findRows(Worker worker, TensorId tensor, long[] keys, byte[] present) {
        return FindRowsPsf.stub(worker)
                .call(tensor, LongArray.wrap(keys), new FindRows.Response(ByteArray.wrap(present)));
    }

    /**
     * Removes rows of a growing table, with the optimizer's state and what caches and functions keep for them. A key that has
     * no row changes nothing; one that comes again begins anew. The memory serves rows that are made later.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @return the answer under way: how many rows there were
     */
    public static Pending<RemoveRows.Response> removeRows(Worker worker, TensorId tensor, long[] keys) {
        return RemoveRowsPsf.stub(worker).call(tensor, LongArray.wrap(keys));
    }

    /**
     * Lists the keys that have a row, page by page: each page is asked for when the iterator is, so that no more than about
     * 64 Ki keys are in memory at once. A key that is there all the while is listed; one that comes meanwhile is not; one may
     * come twice if others are removed meanwhile.
     *
     * <pre>{@code
     * for (long[] keys : Tensors.keys(worker, table)) {
     *     ..
     * }
     * }</pre>
     *
     * @return pages of keys, in no order
     */
    public static Iterable<long[]> keys(Worker worker, TensorId tensor) {
        return () -> new KeyPages(
                worker,
                tensor,
                Math.max(1, PAGE / worker.layout(tensor).servers().size()));
    }
}
