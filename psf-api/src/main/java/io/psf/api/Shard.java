package io.psf.api;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * The part of a tensor that a server holds for one slice: its values, the optimizer's state, and the attachments of
 * functions. Used only on the shard's lane, by one thread at a time, so a handler takes no locks. Only an attachment
 * may hold a reference to the shard after the handler has returned.
 *
 * <p>For implementations: the default methods fit a table that does not grow, and {@link #requestRelease} releases
 * nothing. A shard of a growing table overrides {@link #mostRows}, {@link #key}, {@link #find(long)}, {@link
 * #gather} and {@link #removeRows}. A shard of a server overrides {@link
 * #requestRelease}. A shard that wraps another one overrides all methods ({@link io.psf.api.spi.ForwardingShard} does).
 */
public interface Shard {
    /**
     * Returns the keys that this shard owns. For a growing table, returns the range of key positions, which are derived
     * from the keys' hashes ({@link TensorLayout#position}); {@link #owns} says which keys belong to it.
     */
    Range range();

    /** True if this shard owns the key; in a growing table also if the key has no row yet. */
    default boolean owns(long key) {
        return range().contains(TensorLayout.position(spec(), key));
    }

    /**
     * Returns the number of rows of this shard: the length of its {@link #range()}, or for a growing table the number
     * of rows created so far.
     */
    int rows();

    /**
     * Returns the largest number of rows that this shard can have: its present number of rows, or for a growing table
     * its capacity in rows with the slots that have been requested.
     */
    default int mostRows() {
        return rows();
    }

    /** Returns the memory that this shard occupies. By default only the values are counted. */
    default ShardBytes bytes() {
        return new ShardBytes((long) Float.BYTES * width() * rows(), 0, 0, 0);
    }

    /**
     * Returns the key of a local row.
     *
     * @param row from 0 to {@link #rows()}, exclusive
     */
    default long key(int row) {
        return range().begin() + Objects.checkIndex(row, rows());
    }

    /** Returns the number of floats in a row. */
    int width();

    /** Returns this shard's slice number in its tensor, from 0. */
    int slice();

    /** Returns the id and the shape of the whole tensor. */
    TensorInfo spec();

    /**
     * Returns the shard's values, [rows, width] float32: a view, so writes to it change the shard. For a growing table,
     * the view has the rows that exist at the time of the call: call {@link #rows(LongArray)} before this method.
     */
    FloatArray values();

    /**
     * Returns the values of one row, [width] float32: a view. A growing table creates a missing row, as {@link #row}
     * does.
     *
     * @param key a global key
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key, or the function is read-only
     *     and the key has no row
     */
    default FloatArray values(long key) {
        int row = row(key);
        return values().slice(row * width(), (row + 1) * width());
    }

    /**
     * Returns all values for the response of the handler that calls this method, [rows, width] float32, as {@link
     * #values} does. The array can only be read. It is a view of the rows, or a copy in scratch memory if they are not
     * in host memory. A handler returns the array without changing a row after this call, and does not keep it. A pull
     * calls this method or {@link #gatherForAnswer}, and {@link #values} is also for steps of an optimizer: a shard
     * that counts pulls can tell them apart.
     */
    default FloatArray valuesForAnswer() {
        return values();
    }

    /**
     * Returns the local row of a key, from 0. A growing table creates a missing row, unless the function is read-only:
     * such a call changes nothing, and reads rows with {@link #find} or {@link #gather}. The row has this number until
     * rows are removed.
     *
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key, or the function is read-only
     *     and the key has no row
     */
    int row(long key);

    /**
     * Returns the local row of a key, from 0, or -1 if the key has no row. Creates no row. In a table that does not
     * grow, every key that the shard owns has a row.
     *
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key
     */
    default int find(long key) {
        return row(key);
    }

    /**
     * Writes the local rows of keys into the caller's array, -1 for a key that has no row. Creates no row.
     *
     * @param keys [n] int64 global keys
     * @param into [at least n], receives the rows, from index 0
     * @return the number of keys that have a row
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    default int find(LongArray keys, int[] into) {
        int found = 0;
        for (int i = 0; i < keys.length(); i++) {
            into[i] = find(keys.get(i));
            found += into[i] < 0 ? 0 : 1;
        }
        return found;
    }

    /**
     * Returns the local rows of keys, [n]. A growing table creates missing rows, as {@link #row} does.
     *
     * @param keys [n] int64 global keys
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, or that has no
     *     row if the function is read-only
     */
    int[] rows(LongArray keys);

    /**
     * Writes the local rows of keys into the caller's array. A growing table creates missing rows, as {@link #row}
     * does.
     *
     * @param keys [n] int64 global keys
     * @param into [at least n], receives the rows, from index 0
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, or that has no
     *     row if the function is read-only
     */
    default void rows(LongArray keys, int[] into) {
        int[] rows = rows(keys);
        System.arraycopy(rows, 0, into, 0, rows.length);
    }

    /**
     * Returns the values of the rows of keys, one after the other: [n, width] float32, a copy in {@link #allocate
     * scratch memory} for the answer, {@link FloatArray#stored} as the shard stores them. Creates no row: a key without
     * a row has its row's initial values.
     *
     * @param keys [n] int64 global keys
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    default FloatArray gather(LongArray keys) {
        int[] rows = rows(keys);
        FloatArray gathered = allocate(Math.multiplyExact(rows.length, width()));
        gathered.gather(values(), rows, 0, rows.length, width());
        return gathered;
    }

    /**
     * Returns the values of the rows of keys for the response of the handler that calls this method, [n, width]
     * float32, as {@link #gather} does. The array can only be read, and may be a view of the rows: they are copied when
     * the answer is written, piece by piece. A handler returns the array without changing a row after this call, and
     * does not keep it.
     *
     * @param keys [n] int64 global keys
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    default FloatArray gatherForAnswer(LongArray keys) {
        return gather(keys);
    }

    /**
     * Returns the state of an optimizer or a function, row-aligned with the values: [rows, width] float32, off-heap,
     * zeros on the first request. For a growing table, the slot has the rows that exist at the time of the call, as in
     * {@link #values()}; each row is zeros initially.
     *
     * @param name the slot's name, for example {@code "momentum"}
     * @param width floats in a row of the slot
     * @throws PsException with {@code HANDLER_FAILED} if the function is read-only and nothing has requested the slot
     *     before
     */
    FloatArray slot(String name, int width);

    /**
     * Removes rows of a growing table by their keys, with their slots' content. A key that has no row changes nothing.
     * Rows are numbered without gaps: the last row takes the number of each removed row, so row numbers obtained
     * earlier are invalid. Attachments that are a {@link RowListener} are notified. The memory is reused for rows that
     * are created later, and is not released. If a removed key is used again, it gets a new row with initial values.
     *
     * @param keys [n] int64 global keys
     * @return the number of rows removed
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, in which case
     *     nothing is removed; with {@code BAD_REQUEST} if the table does not grow; with {@code HANDLER_FAILED} if the
     *     function is read-only
     */
    default int removeRows(LongArray keys) {
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + spec().id() + ": " + spec().shape() + " (expected: a table that grows)");
    }

    /**
     * Says that an attachment's state of a row has changed, so that the next incremental save of the shard has the row.
     * The shard itself knows which rows of its values and slots are written to. Costs nothing as long as no save is
     * incremental.
     *
     * @param row the local row
     * @see Checkpointed#tellsChanges
     */
    default void changed(int row) {}

    /**
     * Allocates scratch memory for the answer, [n] float32, from the lane's arena: valid until the answer is sent, its
     * initial content undefined.
     */
    FloatArray allocate(int n);

    /** Returns the optimizer that applies pushes to this shard. */
    Optimizer optimizer();

    /**
     * Replaces the optimizer that applies pushes to this shard. Slots keep their content.
     *
     * @throws PsException with {@code BAD_REQUEST} if the shard cannot be stepped by it; with {@code HANDLER_FAILED} if
     *     the function is read-only
     */
    default void setOptimizer(Optimizer optimizer) {
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "optimizer of " + getClass().getName() + ": cannot be replaced (expected: a shard that implements"
                        + " setOptimizer)");
    }

    /**
     * Returns the shard of the same slice of another tensor, for functions that work on two tensors. It runs on the
     * same lane, so it may be read and written like this shard. The other tensor must have the same number of rows,
     * and the same slices on the same servers, so that its slice has the same keys as this one. Alternatively, while
     * the function is being handled, it may be a tensor that a key set of the request names ({@link
     * io.psf.api.layout.ByKey#of}), whose slice has its own keys. A shard that was obtained in that case may be held by
     * work that the handler schedules on this lane for later. A call on the other tensor whose answer is deferred is
     * not waited for.
     *
     * @throws PsException with {@code BAD_REQUEST} if the other tensor is neither: on every slice, regardless of the
     *     number of servers and lanes and of the slices' ranges
     */
    Shard other(TensorId tensor);

    /** Returns the call being answered. */
    CallInfo call();

    /**
     * Returns the caller that calls other functions on behalf of the call being answered: {@code
     * XPsf.stub(shard.caller())}. Such a call has the deadline of the call being answered, and is cancelled with it. It
     * can reach shards and nodes anywhere in the cluster, including this shard. It is not ordered with other calls. Its
     * handler sees {@link CallInfo#worker} -1.
     *
     * <p>The answer is delivered on this shard's lane: return a stage of it, {@code pending.toCompletableFuture()}. A
     * lane that blocked on the answer would wait for itself, so {@code await} on a lane fails at once. The request's
     * borrowed parts of this shard are read when the call is sent, which may be after the handler has returned: copy
     * data that other calls change.
     *
     * @throws IllegalStateException if no call is being answered, as in {@link #after} and in callbacks: obtain the
     *     caller in {@code handle}, and hold it
     */
    Caller caller();

    /**
     * Runs {@code work} on this shard's lane after a delay, for example to complete a deferred answer by a time limit
     * even if no further call arrives. The work is dropped when the tensor is cleared and when the server ends. An
     * exception that it throws is logged.
     *
     * @return cancels the work; work that is already due may still run
     */
    Future<?> after(Duration delay, Runnable work);

    /**
     * Returns a task that releases the memory of the request being handled before its answer is sent. A handler that
     * answers later runs the task, on the lane, once the handler no longer reads the request's arrays, because it has
     * copied or summed them. The server's memory for requests is bounded: other senders wait for memory that such a
     * handler retains.
     */
    default Runnable requestRelease() {
        return () -> {};
    }

    /** Returns the current members of the cluster. */
    List<Member> members();

    /**
     * Returns a function's own state on the shard. The state is created on the first request and retained as long as
     * the shard. If it is {@link Checkpointed}, it is saved and loaded with the shard. A read-only function creates
     * none: it uses {@link #findAttachment}.
     *
     * @param type the state's class, its key
     * @param factory creates the state on the first request
     * @throws PsException with {@code HANDLER_FAILED} if the function is read-only and there is no such state
     */
    <T> T attachment(Class<T> type, Supplier<? extends T> factory);

    /**
     * Returns a function's own state on the shard if it has been created or loaded. Creates none, so that a read-only
     * function may ask for it. By default it is created.
     *
     * @param type the state's class, its key
     * @param factory creates the object that takes loaded state, if no function has requested it since the load
     */
    default <T> Optional<T> findAttachment(Class<T> type, Supplier<? extends T> factory) {
        return Optional.of(attachment(type, factory));
    }
}
