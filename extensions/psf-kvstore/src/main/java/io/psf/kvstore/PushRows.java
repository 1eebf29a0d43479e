package io.psf.kvstore;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/**
 * Pushes an update of some rows to the slices that have them, and to no others. The tensor is asynchronous, and its
 * optimizer steps the rows of a push alone: no slice has to know of the pushes to another.
 */
@PsFunction("psf.kv.push.rows")
public interface PushRows {
    /**
     * The pushed update.
     *
     * @param tensor the tensor to push to
     * @param rows [n] int64, row ids; the updates of a duplicate row are summed before they are sent; borrowed until
     *     await returns
     * @param update [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM) LongArray rows,
            @Along("rows") @Wire FloatArray update) {}

    /** The acknowledgement. */
    record Response() {}

    /**
     * Passes the update to the shard's optimizer. Fails with {@code BAD_REQUEST} if the tensor has rounds, or an
     * optimizer that counts pushes, or sums over all rows of a push.
     */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Pushes pushes = Pushes.of(shard);
        TiledOptimizer tiled = TiledOptimizer.of(shard);
        if (pushes.isSynchronous() || tiled == null || tiled.needsEveryPush()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "push of rows to tensor \"" + slice.tensor() + "\": " + shard.optimizer()
                            + (pushes.isSynchronous() ? ", in rounds" : "")
                            + " (expected: an optimizer of rows, on arrival; Tensors.pushRows pushes to any tensor)");
        }
        return pushes.sparse(slice.rows(), slice.update(), Response::new);
    }
}
