package io.psf.builtin.push;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.internal.named.UserCode;
import io.psf.builtin.optimizer.TiledOptimizer;
import org.jspecify.annotations.Nullable;

/**
 * The update of a push, or of a round of pushes.
 *
 * @param keys [n] int64, global keys; null if the update has every row of the shard
 * @param values [n, width] float32
 */
record Update(@Nullable LongArray keys, FloatArray values) {
    /** The number of elements that are checked at a time. */
    private static final int TILE = 1024;

    /** True if no element is NaN or infinite. */
    boolean isFinite() {
        float[] tile = new float[Math.min(TILE, values.length())];
        for (int begin = 0; begin < values.length(); begin += TILE) {
            int n = Math.min(TILE, values.length() - begin);
            values.copyTo(begin, tile, 0, n);
            float zero = 0;
            for (int i = 0; i < n; i++) {
                zero += tile[i] * 0; // NaN for an element that is not finite
            }
            if (zero != 0) {
                return false;
            }
        }
        return true;
    }

    /** True if the update has every row of the shard. */
    boolean isDense() {
        return keys == null;
    }

    /** Applies the update. */
    void applyTo(Shard shard) {
        applyTo(shard, null);
    }

    /**
     * Applies the update.
     *
     * @param rows [n], the rows of the keys, -1 for a key without one; null if they are to be found
     * @throws PsException with {@code HANDLER_FAILED}, naming the optimizer, if its code throws
     */
    void applyTo(Shard shard, int @Nullable [] rows) {
        try {
            apply(shard, rows);
        } catch (PsException e) {
            throw e;
        } catch (RuntimeException e) {
            Object code = shard.optimizer() instanceof TiledOptimizer tiled ? tiled.kernel() : shard.optimizer();
            throw UserCode.failed("optimizer " + shard.optimizer().name(), code, e);
        }
    }

    private void apply(Shard shard, int @Nullable [] rows) {
        if (keys == null) {
            shard.optimizer().apply(shard, values);
        } else if (keys.length() == 0 && !TiledOptimizer.dependsOnPushes(shard)) {
            return;
        } else if (shard.optimizer() instanceof TiledOptimizer tiled) {
            tiled.apply(shard, keys, rows, values);
        } else {
            shard.optimizer().apply(shard, keys, values);
        }
    }
}
