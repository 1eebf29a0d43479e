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
import io.psf.builtin.sparse.Rows;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/**
 * Sends what a cache has gathered for some rows of a table, and fetches those rows, the same or others, that are stale
 * then: {@link PushEmbedding} and {@link SyncEmbedding} in one request, atomic on a shard.
 */
@PsFunction("psf.cache.pushsync")
public interface PushSyncEmbedding {
    /**
     * What is pushed, and what the cache has.
     *
     * @param table where to and from
     * @param pushKeys [n] int64, rows; the gradients and counts of one that occurs more than once are summed before they
     *     are sent; borrowed until await returns
     * @param gradients [n, width] float32, for the table's optimizer; borrowed until await returns
     * @param updates [n] int32, how many updates a row's gradient stands for, at least 0: its version grows by as many;
     *     borrowed until await returns
     * @param syncKeys [m] int64, rows in any order; one that occurs more than once counts once, with its least version;
     *     borrowed until await returns
     * @param versions [m] int64, the versions of the cache's rows, -1 for one that it does not have; borrowed until await
     *     returns
     * @param bound how many updates a row may be behind, at least 0; one that has been removed and made again is 2^32 behind
     */
    record Request(
            TensorId table,
            @ByKey(combine = SUM, everySlice = true) LongArray pushKeys,
            @Along("pushKeys") FloatArray gradients,
            @Along(value = "pushKeys", width = 1) IntArray updates,
            @ByKey(combine = MIN) LongArray syncKeys,
            @Along(value = "syncKeys", width = 1) LongArray versions,
            long bound) {}

    /**
     * What the cache has to take anew, by key.
     *
     * @param keys [k] int64, those of the request's {@code syncKeys} whose rows are stale, each once, ascending
     *     unless the table grows
     * @param versions [k] int64, their versions with the push in them
     * @param values [k, width] float32, their values with the push in them; on a synchronous table with all of its round
     */
    record Response(
            @ByKey LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            @Along("keys") FloatArray values) {}

    /** Pushes, then answers the rows that are stale. What is wrong with either half changes nothing. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Rows.requireOwned(shard, slice.syncKeys());
        Versions.requireCounts(slice.pushKeys().length(), slice.updates());
        Versions.requireCached(slice.syncKeys().length(), slice.versions(), slice.bound());
        Pushes pushes = Pushes.of(shard);
        LongArray pushed = pushes.kept(slice.pushKeys());
        IntArray updates = pushes.kept(slice.updates());
        LongArray synced = pushes.kept(slice.syncKeys());
        LongArray cached = pushes.kept(slice.versions());
        return pushes.sparse(slice.pushKeys(), slice.gradients(), () -> {
            Versions.of(shard).add(shard.rows(pushed), updates);
            StaleRows stale = StaleRows.of(shard, synced, cached, slice.bound());
            return new Response(stale.keys(), stale.versions(), stale.values());
        });
    }
}
