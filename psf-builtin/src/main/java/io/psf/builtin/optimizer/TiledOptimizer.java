package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.List;

/**
 * The walk that all optimizers share: over the rows of a push, over the spans of rows that have been stepped equally
 * often, and over the tiles of a span, each copied in, stepped by a {@link Kernel} and copied out. Stateless: state and
 * step counts lie in the shard's slots, tiles beside the shard.
 */
final class TiledOptimizer implements Optimizer {
    /** How often each row has been stepped, as float32: exact to 2^24, and beyond that no correction is left to make. */
    private static final String STEPS = "steps";

    private final Kernel kernel;

    TiledOptimizer(Kernel kernel) {
        this.kernel = kernel;
    }

    @Override
    public void apply(Shard shard, FloatArray update) {
        Shapes.requireDense(shard, update);
        Walk walk = new Walk(shard, update);
        if (!kernel.countsSteps()) {
            walk.span(0, 0, update.length(), 0);
            return;
        }
        FloatArray steps = shard.slot(STEPS, 1);
        float[] counts = walk.tiles.counts;
        int width = shard.width();
        for (int first = 0; first < shard.rows(); first += counts.length) {
            int n = Math.min(counts.length, shard.rows() - first);
            steps.copyTo(first, counts, 0, n);
            for (int row = 0; row < n; ) {
                int begin = row;
                float count = counts[begin];
                while (row < n && counts[row] == count) {
                    counts[row++] = count + 1;
                }
                int at = (first + begin) * width;
                walk.span(at, at, (row - begin) * width, (int) (count + 1));
            }
            steps.copyFrom(first, counts, 0, n);
        }
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        int[] rows = Shapes.requireSparse(shard, keys, update);
        Walk walk = new Walk(shard, update);
        int width = shard.width();
        if (!kernel.countsSteps()) {
            for (int i = 0; i < rows.length; i++) {
                walk.span(rows[i] * width, i * width, width, 0);
            }
            return;
        }
        FloatArray steps = shard.slot(STEPS, 1);
        for (int i = 0; i < rows.length; i++) {
            float count = steps.get(rows[i]) + 1;
            steps.set(rows[i], count);
            walk.span(rows[i] * width, i * width, width, (int) count);
        }
    }

    @Override
    public String name() {
        return kernel.getClass().getSimpleName();
    }

    @Override
    public String toString() {
        return kernel.toString();
    }

    /** One push on its way through the tiles. */
    private final class Walk {
        private final Tiles tiles;
        private final FloatArray values;
        private final FloatArray update;
        private final FloatArray[] state;
        private final float[][] stateTiles;

        Walk(Shard shard, FloatArray update) {
            List<String> names = kernel.state();
            this.tiles = shard.attachment(Tiles.class, Tiles::new);
            this.stateTiles = tiles.state(names.size());
            this.values = shard.values();
            this.update = update;
            this.state = new FloatArray[names.size()];
            for (int s = 0; s < state.length; s++) {
                state[s] = shard.slot(names.get(s), shard.width());
            }
        }

        /** Steps n elements of the shard from {@code at} on with those of the update from {@code from} on. */
        void span(int at, int from, int n, int steps) {
            for (int done = 0; done < n; done += Tiles.SIZE) {
                tile(at + done, from + done, Math.min(Tiles.SIZE, n - done), steps);
            }
        }

        private void tile(int at, int from, int n, int steps) {
            values.copyTo(at, tiles.w, 0, n);
            update.copyTo(from, tiles.g, 0, n);
            for (int s = 0; s < state.length; s++) {
                state[s].copyTo(at, stateTiles[s], 0, n);
            }
            kernel.step(tiles.w, tiles.g, stateTiles, n, steps);
            values.copyFrom(at, tiles.w, 0, n);
            for (int s = 0; s < state.length; s++) {
                state[s].copyFrom(at, stateTiles[s], 0, n);
            }
        }
    }
}
