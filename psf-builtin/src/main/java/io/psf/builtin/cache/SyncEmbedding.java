package io.psf.builtin.cache;

import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;

/**
 * Pulls those rows of a table that a cache does not have or has in too old a version. A row's version is the number of
 * updates that {@link PushEmbedding} and {@link PushSyncEmbedding} have reported for it. A cached row that is at most
 * {@code bound} updates behind is not sent. The cache protocol of HET (Miao et al., VLDB 2022).
 *
 * <p>The function is read-only: the first push of a cache attaches the versions to the shard. Until then all rows of
 * the shard have one version, which is another after each removal of rows.
 */
@PsFunction(value = "psf.cache.sync", readOnly = true)
public interface SyncEmbedding {
    /**
     * The cached versions.
     *
     * @param table the table to pull from
     * @param keys [n] int64, row ids in any order; a duplicate key counts once, with its lowest version; borrowed until
     *     await returns
     * @param versions [n] int64, the cached version of each row, -1 for a row that is not cached; borrowed until await
     *     returns
     * @param bound the number of updates that a row may be behind, at least 0; a row that was removed and created again
     *     is 2^32 behind
     */
    record Request(
            TensorId table,
            @ByKey(combine = MIN) LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            long bound) {}

    /**
     * The rows that the cache has to replace, by key.
     *
     * @param keys [m] int64, the requested keys whose rows are stale, each once, ascending unless the table grows
     * @param versions [m] int64, their current versions
     * @param values [m, width] float32, their current values
     */
    record Response(
            @ByKey LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            @Along("keys") @Wire FloatArray values) {}

    /** Returns the rows that are stale now. */
    default Response handle(Request slice, Shard shard) {
        Versions.requireCached(slice.keys().length(), slice.versions(), slice.bound());
        StaleRows stale = StaleRows.of(shard, slice.keys(), slice.versions(), slice.bound());
        return new Response(stale.keys(), stale.versions(), stale.values());
    }
}
