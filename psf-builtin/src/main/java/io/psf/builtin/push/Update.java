package io.psf.builtin.push;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.TiledOptimizer;
import org.jspecify.annotations.Nullable;

/**
 * The update of a push, or of a round of pushes.
 *
 * @param keys [n] int64, global keys; null if the update has every row of the shard
 * @param values [n, width] float32
 */
record Update(@Nullable LongArray keys, FloatArray values) {
    /** True if the update has every row of the shard. */
    boolean isDense() {
        return keys == null;
    }

    void applyTo(Shard shard) {
        if (keys == null) {
            shard.optimizer().apply(shard, values);
        } else if (keys.length() > 0 || TiledOptimizer.dependsOnPushes(shard)) {
            shard.optimizer().apply(shard, keys, values);
        }
    }
}
