package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Pushes an update of some rows and pulls all values with the update applied: one request, atomic per shard. */
@PsFunction("psf.sparse.push.dense.pull")
public interface SparsePushDensePull {
    /**
     * The pushed update. Every shard receives a slice, even one without keys.
     *
     * @param tensor the tensor to push to and pull from
     * @param keys [n] int64, row ids; the updates of a duplicate key are summed before they are sent; borrowed until
     *     await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray keys,
            @Along("keys") @Wire FloatArray update) {}

    /**
     * The values with the update applied; on a synchronous tensor with the whole round applied.
     *
     * @param values [rows, width] float32
     */
    record Response(@ByRange @Wire FloatArray values) {}

    /** Passes the update to the shard's optimizer, on arrival or with the round, then returns all values. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).sparse(slice.keys(), slice.update(), () -> new Response(Answers.values(shard)));
    }
}
