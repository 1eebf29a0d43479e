package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.array.FloatArray;
import io.psf.api.array.RowWrites;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A shard whose whole content is accessible, for the functions that save it and load it. The other functions need
 * {@link Shard} alone.
 */
public interface StoredShard extends Shard {
    /** Returns the values. */
    StoredColumn storedValues();

    /** Returns the slots that have been requested, by name. */
    Map<String, StoredColumn> storedSlots();

    /**
     * Returns a slot, which is zeros on the first request, as in {@link #slot}.
     *
     * @param name the slot's name
     * @param width floats in a row of the slot
     * @throws IllegalArgumentException if the slot has another width
     */
    StoredColumn storedSlot(String name, int width);

    /** {@inheritDoc} By default the values, the slots and the attachments are counted. */
    @Override
    default ShardBytes bytes() {
        long bytesOfWidth = (long) Float.BYTES * rows();
        long slots =
                storedSlots().values().stream().mapToLong(StoredColumn::width).sum();
        return new ShardBytes(
                bytesOfWidth * width(), bytesOfWidth * slots, 0, attachments().bytes());
    }

    /**
     * Removes all rows of a growing table and their slots' content, as loading does before it creates the saved rows.
     * Attachments that are a {@link RowListener} are notified. Per-row state of any other attachment is invalid
     * afterwards, unless the attachment is created again.
     *
     * @throws PsException with {@code BAD_REQUEST} if the table does not grow
     */
    default void removeRows() {
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "tensor " + spec().id() + ": " + spec().shape() + " (expected: a table that grows)");
    }

    /**
     * Writes the values that the row of a key begins with.
     *
     * @param row [width] float32, zeros on entry, receives the values
     */
    default void firstValues(long key, FloatArray row) {}

    /** Returns how often rows have been removed since the shard was made; 0 if the table does not grow. */
    default int removals() {
        return 0;
    }

    /**
     * Returns the rows that are written to, for incremental saves; null if this kind of shard does not follow them, so
     * that its saves have all rows.
     */
    default @Nullable RowWrites writes() {
        return null;
    }

    @Override
    default void changed(int row) {
        RowWrites writes = writes();
        if (writes != null) {
            writes.mark(row);
        }
    }

    /** True if other work waits for the lane that runs: long work leaves off, and is queued again. May be outdated. */
    default boolean isAwaited() {
        return false;
    }

    /**
     * Returns the keys that calls name most often, since this method was called first. A shard counts them until nobody
     * has called it for a minute; some kinds of shards do not count.
     *
     * @param most the most keys
     */
    default KeySketch.Counts hotKeys(int most) {
        return KeySketch.Counts.NONE;
    }

    /** Returns all attachments. */
    Attachments attachments();

    /**
     * Counts the attachments that are {@link io.psf.api.Measured}, as they are now, as memory of the server's tensors.
     * Called by one of them before it takes more, or after it has given some back.
     *
     * @param more the bytes that it is about to take
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the memory of tensors does not suffice
     */
    default void countAttachments(long more) {}

    @Override
    default <T> T attachment(Class<T> type, Supplier<? extends T> factory) {
        return attachments().get(type, factory);
    }

    @Override
    default <T> Optional<T> findAttachment(Class<T> type, Supplier<? extends T> factory) {
        return attachments().find(type, factory);
    }

    /** Returns the answers of calls on this shard that its server keeps; none by default. */
    default KeptAnswers keptAnswers() {
        return KeptAnswers.NONE;
    }
}
