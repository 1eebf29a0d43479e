package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.Shapes;

/**
 * Sets the values of some rows of a tensor. No optimizer is stepped, and its state stays. A growing table creates
 * missing rows. A push that waits for its round is applied to the new values.
 */
@PsFunction("psf.sparse.store")
public interface StoreRows {
    /**
     * The rows.
     *
     * @param tensor the tensor
     * @param keys [n] int64, row ids in any order; of a duplicate key the last row counts; borrowed until await returns
     * @param values [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = LAST) LongArray keys,
            @Along("keys") FloatArray values) {}

    /** The acknowledgement. */
    record Response() {}

    /** Sets this shard's rows. */
    default Response handle(Request slice, StoredShard shard) {
        Shapes.requireSparse(shard, slice.keys(), slice.values());
        int[] rows = shard.rows(slice.keys());
        shard.storedValues().write(rows, rows.length, slice.values());
        return new Response();
    }
}
