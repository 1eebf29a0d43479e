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
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Sends an update of some rows and fetches some rows, the same or others: one request, atomic on a shard. */
@PsFunction("psf.sparse.pushpull")
public interface SparsePushPull {
    /**
     * What is pushed and what is fetched.
     *
     * @param tensor where to and from
     * @param pushKeys [n] int64, row ids; the updates of one that occurs more than once are summed before they are
     *     sent; borrowed until await returns
     * @param update [n, width] float32; borrowed until await returns
     * @param pullKeys [m] int64, row ids in any order, duplicates allowed; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray pushKeys,
            @Along("pushKeys") FloatArray update,
            @ByKey(combine = LAST) LongArray pullKeys) {}

    /**
     * The rows with the update in them; on a synchronous tensor with all of its round.
     *
     * @param values [m, width] float32
     */
    record Response(@Along("pullKeys") FloatArray values) {}

    /** Hands the update to the shard's optimizer, then answers the rows. A wrong key changes nothing. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Rows.requireOwned(shard, slice.pullKeys());
        Pushes pushes = Pushes.of(shard);
        LongArray pulled = pushes.kept(slice.pullKeys());
        return pushes.sparse(slice.pushKeys(), slice.update(), () -> new Response(shard.gather(pulled)));
    }
}
