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
 * Removes rows of a growing table by their keys, with the optimizer's state and what caches and functions keep for them. A
 * key that comes again begins anew. A push of a synchronous table that waits for its round is not undone: it makes the row
 * again when the round closes.
 */
@PsFunction("psf.sparse.remove")
public interface RemoveRows {
    /**
     * What is removed. A tensor that does not grow is refused with {@code BAD_REQUEST}.
     *
     * @param tensor which table
     * @param keys [n] int64, row ids in any order, duplicates allowed; one that has no row changes nothing; borrowed until
     *     await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * What has been removed.
     *
     * @param removed how many rows there were
     */
    record Response(@Reduce(Reduction.SUM) long removed) {}

    /** Removes this shard's. */
    default Response handle(Request slice, Shard shard) {
        return new Response(shard.removeRows(slice.keys()));
    }
}
