package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a push to a shard in host memory.
 *
 * @param shard the shard
 * @param keys [n] int64, global keys; null for every row
 * @param known [n], the rows of the keys, -1 for a key without one; null if they are to be found
 * @param update [n, width] float32
 */
record TiledRows(Shard shard, @Nullable LongArray keys, int @Nullable [] known, FloatArray update)
        implements PushedRows {
    TiledRows(Shard shard, @Nullable LongArray keys, FloatArray update) {
        this(shard, keys, null, update);
    }

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
        return keys == null ? null : rowsOf(keys);
    }

    private int[] rowsOf(LongArray keys) {
        if (known == null) {
            int[] rows = TiledOptimizer.tiles().rows(keys.length());
            shard.rows(keys, rows);
            return rows;
        }
        int[] without =
                IntStream.range(0, known.length).filter(i -> known[i] < 0).toArray();
        if (without.length > 0) {
            int[] made = shard.rows(
                    LongArray.wrap(IntStream.of(without).mapToLong(keys::get).toArray()));
            for (int i = 0; i < without.length; i++) {
                known[without[i]] = made[i];
            }
        }
        return known;
    }
}
