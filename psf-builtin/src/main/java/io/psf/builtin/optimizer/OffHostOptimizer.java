package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * The optimizer of a shard whose values are not in host memory: makes the steps of a {@link TiledOptimizer} there. A
 * step that is not plain is made by {@link TiledOptimizer#complete}.
 */
public interface OffHostOptimizer extends Optimizer {
    /** Returns the formula and its options. */
    TiledOptimizer tiled();

    /**
     * Returns the rows of a push to the shard.
     *
     * @param keys [n] int64, global keys; null for every row; borrowed until the step is complete
     * @param update [n, width] float32; borrowed until the step is complete
     */
    PushedRows pushed(@Nullable LongArray keys, FloatArray update);
}
