package io.psf.builtin.cache;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.answer.Answers;
import java.util.function.IntToLongFunction;

/**
 * The rows of a shard that a cache has to replace.
 *
 * @param keys [m] int64, in the order of the shard's rows; keys without a row last
 * @param versions [m] int64, the current version of each row
 * @param values [m, width] float32, scratch memory of the shard
 */
record StaleRows(LongArray keys, LongArray versions, FloatArray values) {
    /**
     * Returns the rows as they are now. A key without a row yields the initial values of its row. No row is created.
     *
     * @param asked [n] int64, the requested keys, each once
     * @param cached [n] int64, the cached version of each row, -1 for a row that is not cached
     * @param bound the number of updates that a row may be behind
     */
    static StaleRows of(Shard shard, LongArray asked, LongArray cached, long bound) {
        int[] rows = new int[asked.length()];
        var unused = shard.find(asked, rows);
        long ofAll = Versions.ofAll(shard);
        IntToLongFunction now =
                Versions.find(shard).<IntToLongFunction>map(known -> known::get).orElse(row -> ofAll);
        int[] stale = Versions.stale(rows, now, cached, bound);
        LongArray keys = LongArray.allocate(stale.length);
        LongArray versions = LongArray.allocate(stale.length);
        for (int i = 0; i < stale.length; i++) {
            keys.set(i, asked.get(stale[i]));
            versions.set(i, now.applyAsLong(rows[stale[i]]));
        }
        return new StaleRows(keys, versions, Answers.copy(shard, keys));
    }
}
