package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/**
 * The part that all optimizers share: selects the rows that a push steps, and counts the steps of each row. Stateless:
 * state and step counts are in the shard's slots, and each thread has its own tiles.
 */
public final class TiledOptimizer implements Optimizer {
    private static final ThreadLocal<Tiles> TILES = ThreadLocal.withInitial(Tiles::new);

    private final Kernel kernel;

    TiledOptimizer(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Returns the rule, for shards whose values and slots are stepped elsewhere. */
    public Kernel kernel() {
        return kernel;
    }

    @Override
    public void apply(Shard shard, FloatArray update) {
        Shapes.requireDense(shard, update);
        new Walk(kernel, shard, update, TILES.get()).allRows(shard.rows());
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        Shapes.requireSparse(shard, keys, update);
        int n = keys.length();
        Tiles tiles = TILES.get();
        int[] rows = tiles.rows(n);
        shard.rows(keys, rows); // before Walk gets the arrays: a growing table reallocates them
        new Walk(kernel, shard, update, tiles).rows(rows, n);
    }

    @Override
    public String name() {
        return kernel.getClass().getSimpleName();
    }

    @Override
    public String toString() {
        return kernel.toString();
    }
}
