package io.psf.api;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.Caller;
import io.psf.api.spi.TensorLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * What a server holds for one slice of a tensor: its values, the optimizer's state, and whatever functions attach to
 * it. Used on the shard's lane alone, by one thread at a time, so a handler takes no locks; not to be kept beyond the
 * handler except by an attachment.
 */
public interface Shard {
    /**
     * The keys that this shard owns. Of a growing table, where its keys stand by their hashes ({@link
     * TensorLayout#position}); {@link #owns} tells which keys those are.
     */
    Range range();

    /** Whether a key belongs to this shard; of a growing table also if it has not come yet. */
    default boolean owns(long key) {
        return range().contains(TensorLayout.position(spec(), key));
    }

    /**
     * How many rows this shard has: the length of its {@link #range()}, or of a growing table the keys that have come so
     * far.
     */
    int rows();

    /**
     * How many rows this shard can have: those that it has, or of a growing table as many as there is room for, with the
     * slots that have been asked for.
     */
    default int mostRows() {
        return rows();
    }

    /**
     * The key of a local row.
     *
     * @param row from 0 to {@link #rows()}, exclusive
     */
    default long key(int row) {
        return range().begin() + Objects.checkIndex(row, rows());
    }

    /** Floats in a row. */
    int width();

    /** This shard's slice number in its tensor, from 0. */
    int slice();

    /** What is known of the whole tensor. */
    TensorInfo spec();

    /**
     * The shard's values, [rows, width] float32: a view, what is written to it stays. Of a growing table, those of the rows
     * that are there: ask for {@link #rows(LongArray)} first, and then for this.
     */
    FloatArray values();

    /**
     * The values of one row, [width] float32: a view. A growing table makes the row, as {@link #row} does.
     *
     * @param key a global key
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key, or the function is read-only and the
     *     key has no row
     */
    FloatArray values(long key);

    /**
     * The local row of a key, from 0. A growing table makes the row, unless the function is read-only: such a call changes
     * nothing, and asks for rows with {@link #find} or {@link #gather}. The row has this number until rows are removed.
     *
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key, or the function is read-only and the
     *     key has no row
     */
    int row(long key);

    /**
     * The local row of a key, from 0, or -1 if it has none. Makes no row. Of a table that does not grow, every key that the
     * shard owns has a row.
     *
     * @throws PsException with {@code OUT_OF_RANGE} if this shard does not own the key
     */
    default int find(long key) {
        return row(key);
    }

    /**
     * The local rows of keys, -1 for a key that has none, in an array that the caller keeps. Makes no row.
     *
     * @param keys [n] int64 global keys
     * @param into [at least n], filled from its beginning on
     * @return how many of the keys have a row
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    default int find(LongArray keys, int[] into) {
        rows(keys, into);
        return keys.length();
    }

    /**
     * The local rows of keys, [n]. A growing table makes those that are not there, as {@link #row} does.
     *
     * @param keys [n] int64 global keys
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, or that has no row if
     *     the function is read-only
     */
    int[] rows(LongArray keys);

    /**
     * The local rows of keys, in an array that the caller keeps. A growing table makes those that are not there, as
     * {@link #row} does.
     *
     * @param keys [n] int64 global keys
     * @param into [at least n], filled from its beginning on
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, or that has no row if
     *     the function is read-only
     */
    default void rows(LongArray keys, int[] into) {
        int[] rows = rows(keys);
        System.arraycopy(rows, 0, into, 0, rows.length);
    }

    /**
     * The values of the rows of keys, one after the other: [n, width] float32, a copy in {@link #allocate scratch memory}
     * for the answer. Makes no row: a key without one has the values that its row would begin with.
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
     * State of an optimizer or a function, row-aligned with the values: [rows, width] float32 off the heap, zero when
     * first asked for. Of a growing table, the rows that are there, as of {@link #values()}; each begins with zeros.
     *
     * @param name the slot's name, for example {@code "momentum"}
     * @param width floats in a row of the slot
     */
    FloatArray slot(String name, int width);

    /** The slots that have been asked for, by name, each [rows, width of the slot] float32. */
    Map<String, FloatArray> slots();

    /**
     * Removes all rows of a growing table, with what is in the slots, as loading does before it makes those that were saved.
     * Attachments that are a {@link RowListener} are told; what another keeps by row is wrong from now on, unless it is made
     * anew.
     *
     * @throws PsException with {@code BAD_REQUEST} if the table does not grow
     */
    default void removeRows() {
        throw doesNotGrow();
    }

    /**
     * Removes rows of a growing table by their keys, with what is in the slots; a key that has none changes nothing. Rows
     * are numbered without a gap: the last row takes the number of each one that is removed, so numbers from before are no
     * longer good. Attachments that are a {@link RowListener} are told. The memory serves rows that are made later, and is
     * not given back. A key that comes again gets a new row, with first values.
     *
     * @param keys [n] int64 global keys
     * @return how many rows there were
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own, and nothing is
     *     removed; with {@code BAD_REQUEST} if the table does not grow
     */
    default int removeRows(LongArray keys) {
        throw doesNotGrow();
    }

    private PsException doesNotGrow() {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + spec().id() + ": " + spec().shape() + " (expected: a table that grows)");
    }

    /**
     * Scratch memory for the answer, [n] float32, from the lane's arena: good until the answer is sent, its content
     * undefined.
     */
    FloatArray allocate(int n);

    /** How pushes change this shard. */
    Optimizer optimizer();

    /**
     * The shard of the same slice of another tensor, for functions between tensors: it runs on the same lane, so it may be
     * read and written as this one. The other tensor is one of as many rows in as many slices on the same servers, whose
     * slice has the same keys as this one; or, while the function is being handled, one that a key set of the request names
     * ({@link io.psf.api.layout.ByKey#of}), whose slice has keys of its own. A shard that was asked for then may be kept by
     * what the handler has run later on this lane. A call on the other tensor whose answer is deferred is not waited for.
     *
     * @throws PsException with {@code BAD_REQUEST} if the other tensor is neither: on every slice, however many servers and
     *     lanes there are, and whatever the slices' ranges
     */
    Shard other(TensorId tensor);

    /** The call being answered. */
    CallInfo call();

    /**
     * Makes calls of other functions for the call being answered: {@code XPsf.stub(shard.caller())}. Such a call ends by the
     * deadline of the one being answered, and is given up with it. It goes to shards and nodes anywhere in the cluster, this
     * one too, runs in no order with others, and reaches its handler with {@link CallInfo#worker} -1.
     *
     * <p>The answer comes back on this shard's lane: return a stage of it, {@code pending.toCompletableFuture()}. A lane
     * that waited for it would wait for itself, so {@code await} on a lane fails at once. What the request borrows of
     * this shard is read when the call is sent, which may be after the handler has returned: copy what other calls change.
     *
     * @throws IllegalStateException if no call is being answered, as in {@link #after} and in callbacks: ask in
     *     {@code handle}, and keep it
     */
    Caller caller();

    /**
     * Runs something on this shard's lane once a delay has passed: for a deferred answer that is due by then, whoever else
     * comes. It is dropped when the tensor is cleared and when the server ends; what it throws is logged.
     *
     * @return to be cancelled where that is no longer needed; what is due already may still run
     */
    Future<?> after(Duration delay, Runnable work);

    /**
     * A task that gives back the memory of the request being handled, before its answer. A handler that answers later runs it,
     * on the lane, once it reads the request's arrays no more, since it has copied them or added them up. The server's memory
     * for requests is bounded; other senders wait for what such a handler keeps.
     */
    default Runnable requestRelease() {
        return () -> {};
    }

    /** Who is in the cluster now. */
    List<Member> members();

    /**
     * A function's own state beside the shard, made when first asked for and kept as long as the shard. It is saved and
     * loaded with the shard if it is {@link Checkpointed}.
     *
     * @param type the state's class, its key
     * @param factory makes it the first time
     */
    default <T> T attachment(Class<T> type, Supplier<? extends T> factory) {
        return attachments().get(type, factory);
    }

    /** All that functions have attached, for those that save and load it. */
    Attachments attachments();

    /**
     * The directory for checkpoints that the server was given.
     *
     * @throws PsException with {@code CONFIGURATION} if it was given none
     */
    Path checkpoints();
}
