package io.psf.builtin.cache;

import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * Fetches those rows of a table that a cache does not have, or has too old: a row's version is the number of updates that
 * {@link PushEmbedding} and {@link PushSyncEmbedding} have told of it, and one that is at most {@code bound} behind stays
 * where it is. The cache protocol of HET (Miao et al., VLDB 2022).
 */
@PsFunction(value = "psf.cache.sync", readOnly = true)
public interface SyncEmbedding {
    /**
     * What a cache has.
     *
     * @param table where from
     * @param keys [n] int64, rows in any order; one that occurs more than once counts once, with its least version;
     *     borrowed until await returns
     * @param versions [n] int64, the versions of the cache's rows, -1 for one that it does not have; borrowed until await
     *     returns
     * @param bound how many updates a row may be behind, at least 0; one that has been removed and made again is 2^32 behind
     */
    record Request(
            TensorId table,
            @ByKey(combine = MIN) LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            long bound) {}

    /**
     * What it has to take anew, by key.
     *
     * @param keys [m] int64, those of the request's keys whose rows are stale, each once, ascending unless
     *     the table grows
     * @param versions [m] int64, their versions now
     * @param values [m, width] float32, their values now
     */
    record Response(
            @ByKey LongArray keys,
            @Along(value = "keys", width = 1) LongArray versions,
            @Along("keys") FloatArray values) {}

    /** Answers the rows that are stale now. */
    default Response handle(Request slice, Shard shard) {
        Versions.requireCached(slice.keys().length(), slice.versions(), slice.bound());
        StaleRows stale = StaleRows.of(shard, slice.keys(), slice.versions(), slice.bound());
        return new Response(stale.keys(), stale.versions(), stale.values());
    }
}
