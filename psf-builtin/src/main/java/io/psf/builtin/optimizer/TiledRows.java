package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a push to a shard in host memory.
 *
 * @param shard the shard
 * @param keys [n] int64, global keys; null for every row
 * @param update [n, width] float32
 */
record TiledRows(Shard shard, @Nullable LongArray keys, FloatArray update) implements PushedRows {
    @Override
    public double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int steps) {
        int[] rows = rows(); // first: a growing table reallocates its arrays
        SumWalk walk = new SumWalk(kernel, gradients, steps, shard, update, TiledOptimizer.tiles());
        walk.add(rows, count());
        return walk.sums();
    }

    @Override
    public void step(Kernel kernel, @Nullable Gradients gradients, int steps) {
        int[] rows = rows(); // first: a growing table reallocates its arrays
        if (kernel instanceof RowKernel byRow) {
            new RowWalk(byRow, gradients, steps, shard, update).step(rows, count());
            return;
        }
        if (rows != null && kernel.stepsAllRows()) {
            new AllRows(shard, update, rows, count()).step(kernel, gradients, steps);
            return;
        }
        Walk walk = new Walk(kernel, gradients, steps, shard, update, TiledOptimizer.tiles());
        if (rows == null) {
            walk.allRows(count());
        } else {
            walk.rows(rows, count());
        }
    }

    private int count() {
        return keys == null ? shard.rows() : keys.length();
    }

    private int @Nullable [] rows() {
        if (keys == null) {
            return null;
        }
        int[] rows = TiledOptimizer.tiles().rows(keys.length());
        shard.rows(keys, rows);
        return rows;
    }
}
