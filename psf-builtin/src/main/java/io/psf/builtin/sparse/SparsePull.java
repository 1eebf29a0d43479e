package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;

/**
 * Pulls some rows of a tensor. Creates no row in a growing table: a key without a row yields the initial values of its
 * row.
 */
@PsFunction(value = "psf.sparse.pull", readOnly = true)
public interface SparsePull {
    /**
     * The rows to pull.
     *
     * @param tensor the tensor to pull from
     * @param keys [n] int64, row ids in any order; a duplicate key is requested once, and its row is returned at every
     *     position of the key; borrowed until await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * The values.
     *
     * @param values [n, width] float32
     */
    record Response(@Along("keys") @Wire FloatArray values) {}

    /** Returns the current values of the rows. */
    default Response handle(Request slice, Shard shard) {
        return new Response(Answers.rows(shard, slice.keys()));
    }
}
