package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * Fetches some rows of a tensor. Makes no row of a growing table: a key that has none is answered with the values that its
 * row would begin with.
 */
@PsFunction(value = "psf.sparse.pull", readOnly = true)
public interface SparsePull {
    /**
     * What is fetched.
     *
     * @param tensor where from
     * @param keys [n] int64, row ids in any order; one that occurs more than once is asked for once and comes back to
     *     every position; borrowed until await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * The values.
     *
     * @param values [n, width] float32
     */
    record Response(@Along("keys") FloatArray values) {}

    /** Answers the rows as they are now. */
    default Response handle(Request slice, Shard shard) {
        return new Response(shard.gather(slice.keys()));
    }
}
