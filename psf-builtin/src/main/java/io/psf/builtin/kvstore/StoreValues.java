package io.psf.builtin.kvstore;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.builtin.optimizer.Shapes;

/** Replaces the values of a tensor. No optimizer is applied, and no round is involved. */
@PsFunction("psf.kv.store")
public interface StoreValues {
    /**
     * The new values.
     *
     * @param tensor the tensor to change
     * @param values [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange FloatArray values) {}

    /** The acknowledgement. */
    record Response() {}

    /** Replaces the shard's values. */
    default Response handle(Request slice, Shard shard) {
        Shapes.requireDense(shard, slice.values());
        shard.values().copyFrom(slice.values());
        return new Response();
    }
}
