package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/**
 * Pushes an update of some rows and pulls some rows, the same or others, with the update applied: one request, atomic
 * per shard.
 */
@PsFunction("psf.sparse.pushpull")
public interface SparsePushPull {
    /**
     * The pushed update and the rows to pull. Every shard receives a slice, even one without keys.
     *
     * @param tensor the tensor to push to and pull from
     * @param pushKeys [n] int64, row ids; the updates of a duplicate key are summed before they are sent; borrowed
     *     until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param pullKeys [m] int64, row ids in any order, duplicates allowed; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray pushKeys,
            @Along("pushKeys") @Wire FloatArray update,
            @ByKey(combine = LAST) LongArray pullKeys) {}

    /**
     * The rows with the update applied; on a synchronous tensor with the whole round applied.
     *
     * @param values [m, width] float32
     */
    record Response(@Along("pullKeys") @Wire FloatArray values) {}

    /**
     * Passes the update to the shard's optimizer, on arrival or with the round, then returns the rows. An invalid key
     * changes nothing on the shard.
     */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Rows.requireOwned(shard, slice.pullKeys());
        Pushes pushes = Pushes.of(shard);
        LongArray pulled = pushes.kept(slice.pullKeys());
        return pushes.sparse(slice.pushKeys(), slice.update(), () -> new Response(Answers.copy(shard, pulled)));
    }
}
