package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Sends an update of some rows of a tensor; answered once it is in the values. */
@PsFunction("psf.sparse.push")
public interface SparsePush {
    /**
     * What is pushed. Every shard hears of it, with or without keys: a round counts workers.
     *
     * @param tensor where to
     * @param keys [n] int64, row ids; the updates of one that occurs more than once are summed before they are sent;
     *     borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray keys,
            @Along("keys") FloatArray update) {}

    /** That it is done. */
    record Response() {}

    /** Hands the update to the shard's optimizer, at once or with its round. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).sparse(slice.keys(), slice.update(), Response::new);
    }
}
