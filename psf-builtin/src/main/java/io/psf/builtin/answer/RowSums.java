package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.Arrays;

/** Sums of rows of a shard in the host's memory. The rows are copied a tile at a time, which stays in the processor's cache. */
final class RowSums {
    /** The values of a tile, if the rows are shorter. */
    private static final int TILE = 2048;

    private final FloatArray rows;
    private final int width;
    private final int[] ends;
    /** The columns that are added at a time. */
    private final int columns;

    private final float[] tile;
    private final float[] sum;

    private RowSums(FloatArray rows, int width, int[] ends) {
        this.rows = rows;
        this.width = width;
        this.ends = ends;
        this.columns = Math.min(width, TILE);
        this.tile = new float[TILE / columns * columns];
        this.sum = new float[columns];
    }

    /** Returns the sums of rows, as {@link PoolingShard#sums}. */
    static FloatArray of(Shard shard, LongArray keys, int[] ends) {
        int width = shard.width();
        FloatArray sums = shard.allocate(Math.multiplyExact(ends.length, width));
        RowSums of = new RowSums(shard.gatherForAnswer(keys), width, ends);
        for (int column = 0; column < width; column += of.columns) {
            of.add(column, Math.min(of.columns, width - column), sums);
        }
        return sums;
    }

    /** Writes columns of all sums. */
    private void add(int column, int n, FloatArray sums) {
        int items = ends.length == 0 ? 0 : ends[ends.length - 1];
        int most = n == width ? tile.length / width : 1;
        int bag = 0;
        for (int first = 0; first < items; first += most) {
            int some = Math.min(most, items - first);
            rows.copyTo(first * width + column, tile, 0, some * n);
            for (int i = 0; i < some; i++) {
                add(sum, tile, i * n, n);
                if (first + i + 1 == ends[bag]) {
                    sums.copyFrom(bag * width + column, sum, 0, n);
                    Arrays.fill(sum, 0);
                    bag++;
                }
            }
        }
    }

    private static void add(float[] sum, float[] values, int from, int n) {
        for (int i = 0; i < n; i++) {
            sum[i] += values[from + i];
        }
    }
}
