package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Returns the values of some rows as {@link SparsePull} does, as float32 whatever the tensor's format on the wire. */
@PsFunction(value = "psf.sparse.fetch", readOnly = true)
public interface FetchRows {
    /**
     * The rows.
     *
     * @param tensor the tensor
     * @param keys [n] int64, row ids in any order; borrowed until await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * The values.
     *
     * @param values [n, width] float32
     */
    record Response(@Along("keys") FloatArray values) {}

    /** Returns the current values of the rows. */
    default Response handle(Request slice, Shard shard) {
        return new Response(shard.gatherForAnswer(slice.keys()));
    }
}
