package io.psf.spark.ml.functions;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;

/**
 * Sets some rows before a training that begins with them: the values, and the state with which the optimizer keeps
 * them. A growing table creates missing rows.
 */
@PsFunction("psf.spark.rows.start")
public interface StartRows {
    /**
     * The rows.
     *
     * @param tensor the tensor
     * @param slot the name of the optimizer's state
     * @param keys [n] int64, row ids; borrowed until await returns
     * @param values [n, width] float32; borrowed until await returns
     * @param state [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            String slot,
            @ByKey(combine = LAST) LongArray keys,
            @Along("keys") FloatArray values,
            @Along("keys") FloatArray state) {}

    /** The acknowledgement. */
    record Response() {}

    /** Sets this shard's rows. */
    default Response handle(Request slice, StoredShard shard) {
        int[] rows = shard.rows(slice.keys());
        shard.storedValues().write(rows, rows.length, slice.values());
        shard.storedSlot(slice.slot(), shard.width()).write(rows, rows.length, slice.state());
        return new Response();
    }
}
