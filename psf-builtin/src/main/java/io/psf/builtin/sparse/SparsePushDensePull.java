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
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Sends an update of some rows and fetches all values that it leads to: one request, atomic on a shard. */
@PsFunction("psf.sparse.push.dense.pull")
public interface SparsePushDensePull {
    /**
     * What is pushed.
     *
     * @param tensor where to and from
     * @param keys [n] int64, row ids; the updates of one that occurs more than once are summed before they are sent;
     *     borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray keys,
            @Along("keys") FloatArray update) {}

    /**
     * The values with the update in them; on a synchronous tensor with all of its round.
     *
     * @param values [rows, width] float32
     */
    record Response(@ByRange FloatArray values) {}

    /** Hands the update to the shard's optimizer, then answers all values. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).sparse(slice.keys(), slice.update(), () -> new Response(shard.values()));
    }
}
