package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.LAST;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Adds to some rows of a tensor and fetches others, in one request: two key sets, each with its own array along it. */
@PsFunction("examples.add.and.fetch")
public interface AddAndFetch {
    /**
     * The deltas, and the rows to fetch.
     *
     * @param tensor the tensor
     * @param added [n] int64, duplicates summed; borrowed until await returns
     * @param deltas [n, width] float32; borrowed until await returns
     * @param fetched [m] int64, in any order, duplicates allowed; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM) LongArray added,
            @Along("added") FloatArray deltas,
            @ByKey(combine = LAST) LongArray fetched) {}

    /**
     * The fetched rows, with this call's deltas added.
     *
     * @param rows [m, width] float32
     */
    record Response(@Along("fetched") FloatArray rows) {}

    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        int[] fetched = shard.rows(slice.fetched());
        shard.optimizer().apply(shard, slice.added(), slice.deltas());
        FloatArray rows = shard.allocate(fetched.length * width);
        for (int i = 0; i < fetched.length; i++) {
            rows.copyRow(i, shard.values(), fetched[i], width);
        }
        return new Response(rows);
    }
}
