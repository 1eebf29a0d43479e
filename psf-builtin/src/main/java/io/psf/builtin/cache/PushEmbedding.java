package io.psf.builtin.cache;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/**
 * Pushes the gradients that a cache has accumulated for some rows of a table. Answered once they are in the values and
 * in the versions that {@link SyncEmbedding} compares.
 */
@PsFunction("psf.cache.push")
public interface PushEmbedding {
    /**
     * The pushed gradients. Every shard receives a slice, even one without keys, because a round of a synchronous table
     * counts workers.
     *
     * @param table the table to push to
     * @param keys [n] int64, row ids; the gradients and counts of a duplicate key are summed before they are sent;
     *     borrowed until await returns
     * @param gradients [n, width] float32, for the table's optimizer; borrowed until await returns
     * @param updates [n] int32, the number of updates that a row's gradient stands for, at least 0; the row's version
     *     grows by this number; borrowed until await returns
     */
    record Request(
            TensorId table,
            @ByKey(combine = SUM, everySlice = true) LongArray keys,
            @Along("keys") @Wire FloatArray gradients,
            @Along(value = "keys", width = 1) IntArray updates) {}

    /** The acknowledgement. */
    record Response() {}

    /** Passes the gradients to the shard's optimizer, on arrival or with the round, and counts the updates. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Versions.requireCounts(slice.keys().length(), slice.updates());
        var unused = Versions.of(shard); // refused before the push if there is no memory
        Pushes pushes = Pushes.of(shard);
        LongArray keys = pushes.kept(slice.keys());
        IntArray updates = pushes.kept(slice.updates());
        return pushes.sparse(slice.keys(), slice.gradients(), () -> {
            Versions.of(shard).add(keys, updates);
            return new Response();
        });
    }
}
