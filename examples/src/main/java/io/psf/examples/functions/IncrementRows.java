package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Adds to some rows of a tensor, whatever its optimizer. Deltas of a duplicate key are summed before they are sent. */
@PsFunction("examples.increment.rows")
public interface IncrementRows {
    /**
     * The deltas.
     *
     * @param tensor the tensor to add to
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     * @param deltas [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM) LongArray keys,
            @Along("keys") FloatArray deltas) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        for (int i = 0; i < slice.keys().length(); i++) {
            shard.values(slice.keys().get(i)).addScaled(1, slice.deltas().slice(i * width, (i + 1) * width));
        }
        return new Response();
    }
}
