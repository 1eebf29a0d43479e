package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Applies one push to a shard by a {@link RowKernel}: row after row, through one row on the heap. */
final class RowWalk {
    private final RowKernel kernel;
    private final @Nullable Gradients gradients;
    private final int stepsOfTensor;
    private final int width;
    private final FloatArray values;
    private final FloatArray update;
    private final FloatArray[] state;
    private final FloatArray[] rowState;
    private final @Nullable FloatArray steps;

    RowWalk(RowKernel kernel, @Nullable Gradients gradients, int stepsOfTensor, Shard shard, FloatArray update) {
        this.kernel = kernel;
        this.gradients = gradients;
        this.stepsOfTensor = stepsOfTensor;
        this.width = shard.width();
        this.values = shard.values();
        this.update = update;
        this.state = slots(shard, kernel.state(), width);
        this.rowState = slots(shard, kernel.rowState(), 1);
        this.steps = kernel.counting() == Kernel.Counting.ROWS ? shard.slot(Kernel.STEPS, 1) : null;
    }

    private static FloatArray[] slots(Shard shard, List<String> names, int width) {
        return names.stream().map(name -> shard.slot(name, width)).toArray(FloatArray[]::new);
    }

    /**
     * Steps rows, in order. A duplicate row is stepped twice.
     *
     * @param rows [at least count], the shard's row number for each row of the update; null for the rows 0, 1, ..
     */
    void step(int @Nullable [] rows, int count) {
        float[] w = new float[width];
        float[] g = new float[width];
        float[][] tiles = new float[state.length][width];
        float[] ofRow = new float[rowState.length];
        int ahead = FloatArray.rowsToPrefetch(width, 1 + state.length + rowState.length);
        int loaded = 0;
        for (int i = 0; i < count; i++) {
            if (rows != null && i == loaded) {
                loaded = Math.min(count, i + ahead);
                prefetch(rows, i, loaded - i);
            }
            int row = rows == null ? i : rows[i];
            int at = row * width;
            values.copyTo(at, w, 0, width);
            update.copyTo(i * width, g, 0, width);
            for (int s = 0; s < state.length; s++) {
                state[s].copyTo(at, tiles[s], 0, width);
            }
            for (int s = 0; s < rowState.length; s++) {
                ofRow[s] = rowState[s].get(row);
            }
            if (gradients != null) {
                gradients.apply(w, g, width);
            }
            kernel.stepRow(w, g, tiles, 0, width, ofRow, count(row));
            values.copyFrom(at, w, 0, width);
            for (int s = 0; s < state.length; s++) {
                state[s].copyFrom(at, tiles[s], 0, width);
            }
            for (int s = 0; s < rowState.length; s++) {
                rowState[s].set(row, ofRow[s]);
            }
        }
    }

    private void prefetch(int[] rows, int from, int n) {
        Walk.prefetch(values, state, width, rows, from, n);
        for (FloatArray slot : rowState) {
            slot.prefetchRows(rows, from, n, 1);
        }
    }

    private int count(int row) {
        if (steps == null) {
            return stepsOfTensor;
        }
        float count = steps.get(row) + 1;
        steps.set(row, count);
        return (int) count;
    }
}
