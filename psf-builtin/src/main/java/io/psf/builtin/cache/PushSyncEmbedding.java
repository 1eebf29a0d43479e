package io.psf.builtin.cache;

import static io.psf.api.layout.Reduction.MIN;
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
import io.psf.builtin.sparse.Rows;
import java.util.concurrent.CompletionStage;

/**
 * Pushes the gradients that a cache has accumulated for some rows of a table, then pulls rows, the same or others, that
 * are stale after the push: {@link PushEmbedding} and {@link SyncEmbedding} in one request, atomic per shard.
 */
@PsFunction("psf.cache.pushsync")
public interface PushSyncEmbedding {
    /**
     * The pushed gradients, and the cached versions.
     *
     * @param table the table to push to and pull from
     * @param pushKeys [n] int64, row ids; the gradients and counts of a duplicate key are summed before they are sent;
     *     borrowed until await returns
     * @param gradients [n, width] float32, for the table's optimizer; borrowed until await returns
     * @param updates [n] int32, the number of updates that a row's gradient stands for, at least 0; the row's version
     *     grows by this number; borrowed until await returns
     * @param syncKeys [m] int64, row ids in any order; a duplicate key counts once, with its lowest version; borrowed
     *     until await returns
     * @param versions [m] int64, the cached version of each row, -1 for a row that is not cached; borrowed until await
     *     returns
     * @param bound the number of updates that a row may be behind, at least 0; a row that was removed and created again
     *     is 2^32 behind
     */
    record Request(
            TensorId table,
            @ByKey(combine = SUM, everySlice = true) LongArray pushKeys,
            @Along("pushKeys") @Wire FloatArray gradients,
            @Along(value = "pushKeys", width = 1) IntArray updates,
            @ByKey(combine = MIN) LongArray syncKeys,
            @Along(value = "syncKeys", width = 1) LongArray versions,
            long bound) {}

    /**
     * The rows that the cache has to replace, by key.
     *
     * @param keys [k] int64, the keys among {@code syncKeys} whose rows are stale, each once, ascending unless the
     *     table grows
     * @param versions [k] int64, their versions with the push counted
     * @param values [k, width] float32, their values with the push applied; on a synchronous table with the whole round
     *     applied
     */
    record Response(
            @ByKey LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            @Along("keys") @Wire FloatArray values) {}

    /** Pushes, then returns the rows that are stale. An invalid argument in either half changes nothing. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Rows.requireOwned(shard, slice.syncKeys());
        Versions.requireCounts(slice.pushKeys().length(), slice.updates());
        Versions.requireCached(slice.syncKeys().length(), slice.versions(), slice.bound());
        var unused = Versions.of(shard); // refused before the push if there is no memory
        Pushes pushes = Pushes.of(shard);
        LongArray pushed = pushes.kept(slice.pushKeys());
        IntArray updates = pushes.kept(slice.updates());
        LongArray synced = pushes.kept(slice.syncKeys());
        LongArray cached = pushes.kept(slice.versions());
        return pushes.sparse(slice.pushKeys(), slice.gradients(), () -> {
            Versions.of(shard).add(pushed, updates);
            StaleRows stale = StaleRows.of(shard, synced, cached, slice.bound());
            return new Response(stale.keys(), stale.versions(), stale.values());
        });
    }
}
