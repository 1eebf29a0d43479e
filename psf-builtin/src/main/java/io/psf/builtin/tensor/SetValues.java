package io.psf.builtin.tensor;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.Shapes;

/** Sets the initial values of a tensor to the values of a worker's array, once: further calls change nothing. */
@PsFunction("psf.init.values")
public interface SetValues {
    /**
     * The values.
     *
     * @param tensor the tensor, which does not grow
     * @param values [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange FloatArray values) {}

    /** The acknowledgement. */
    record Response() {}

    /** Sets the values of this shard, unless they have been set. */
    default Response handle(Request slice, StoredShard shard) {
        Shapes.requireDense(shard, slice.values());
        SetMark mark = shard.attachment(SetMark.class, SetMark::new);
        if (mark.set()) {
            shard.storedValues().write(0, slice.values());
        }
        return new Response();
    }
}
