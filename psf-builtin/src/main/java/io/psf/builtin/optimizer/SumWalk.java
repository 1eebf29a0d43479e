package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds up a shard's part of the sums of a {@link TensorKernel}, through tiles. Changes nothing. */
final class SumWalk {
    private final TensorKernel kernel;
    private final @Nullable Gradients gradients;
    private final int stepsOfTensor;
    private final int width;
    private final Tiles tiles;
    /** Null if the sums need no weights. */
    private final @Nullable FloatArray values;

    private final FloatArray update;
    private final FloatArray[] state;
    private final float[][] stateTiles;
    private final @Nullable FloatArray steps;
    private final double[] sums;

    SumWalk(
            TensorKernel kernel,
            @Nullable Gradients gradients,
            int stepsOfTensor,
            Shard shard,
            FloatArray update,
            Tiles tiles) {
        List<String> names = kernel.state();
        this.kernel = kernel;
        this.gradients = gradients;
        this.stepsOfTensor = stepsOfTensor;
        this.width = shard.width();
        this.tiles = tiles;
        boolean needsWeights = kernel.sumsWeights() || (gradients != null && gradients.weightDecay() != 0);
        this.values = needsWeights ? shard.values() : null;
        this.update = update;
        this.state = new FloatArray[names.size()];
        this.stateTiles = tiles.state(names.size());
        for (int s = 0; s < state.length; s++) {
            state[s] = shard.slot(names.get(s), width);
        }
        this.steps = kernel.counting() == Kernel.Counting.ROWS ? shard.slot(Kernel.STEPS, 1) : null;
        this.sums = new double[kernel.sums()];
    }

    double[] sums() {
        return sums;
    }

    /**
     * Adds the terms of rows.
     *
     * @param rows [at least count], the shard's row number for each row of the update; null for the rows 0, 1, ..
     */
    void add(int @Nullable [] rows, int count) {
        int ahead = FloatArray.rowsToPrefetch(width, 1 + state.length);
        int loaded = 0;
        for (int i = 0; i < count; i++) {
            if (rows != null && i >= loaded) {
                loaded = Math.min(count, i + ahead);
                Walk.prefetch(values, state, width, rows, i, loaded - i);
            }
            int row = rows == null ? i : rows[i];
            float before = steps == null ? 0 : steps.get(row);
            int run = i + 1; // rows that follow each other, with equal numbers of steps, are one span
            while (run < count && isNext(rows, run, row + run - i, before)) {
                run++;
            }
            int steps = this.steps == null ? stepsOfTensor : (int) before + 1;
            span(row * width, i * width, (run - i) * width, steps);
            i = run - 1;
        }
    }

    private boolean isNext(int @Nullable [] rows, int i, int row, float before) {
        return (rows == null || rows[i] == row) && (steps == null || steps.get(row) == before);
    }

    private void span(int at, int from, int n, int count) {
        for (int done = 0; done < n; done += Tiles.SIZE) {
            int m = Math.min(Tiles.SIZE, n - done);
            if (values != null) {
                values.copyTo(at + done, tiles.w, 0, m);
            }
            update.copyTo(from + done, tiles.g, 0, m);
            for (int s = 0; s < state.length; s++) {
                state[s].copyTo(at + done, stateTiles[s], 0, m);
            }
            if (gradients != null) {
                gradients.apply(tiles.w, tiles.g, m);
            }
            kernel.sum(tiles.w, tiles.g, stateTiles, 0, m, count, sums);
        }
    }
}
