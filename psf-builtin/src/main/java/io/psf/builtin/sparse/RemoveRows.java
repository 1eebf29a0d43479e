package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/**
 * Removes rows of a growing table by key, with their optimizer state and with what caches and functions store for them.
 * A removed key that is pushed again gets a new row with the initial values. A push to a synchronous table that waits
 * for its round is not undone: it creates the row again when the round closes.
 */
@PsFunction("psf.sparse.remove")
public interface RemoveRows {
    /**
     * The rows to remove. A tensor that does not grow is refused with {@code BAD_REQUEST}.
     *
     * @param tensor the table
     * @param keys [n] int64, row ids in any order, duplicates allowed; a key without a row is ignored; borrowed until
     *     await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * The result.
     *
     * @param removed the number of removed rows
     */
    record Response(@Reduce(Reduction.SUM) long removed) {}

    /** Removes this shard's rows. */
    default Response handle(Request slice, Shard shard) {
        return new Response(shard.removeRows(slice.keys()));
    }
}
