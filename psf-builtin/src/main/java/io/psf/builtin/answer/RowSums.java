package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowFloats;
import java.util.Arrays;

/**
 * Sums of rows of a shard in the host's memory. The rows are copied a tile at a time, which stays in the processor's
 * cache.
 */
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
            read(first, some, column, n);
            for (int i = 0; i < some; ) {
                int end = Math.min(some, ends[bag] - first);
                addRows(i, end, n);
                i = end;
                if (first + i == ends[bag]) {
                    sums.copyFrom(bag * width + column, sum, 0, n);
                    Arrays.fill(sum, 0);
                    bag++;
                }
            }
        }
    }

    /** Reads columns of rows into the tile. */
    private void read(int first, int some, int column, int n) {
        if (n == width && rows instanceof RowFloats view) {
            int from = view.firstRow() + first;
            view.source().prefetchRows(view.rows(), from, some, width);
            view.source().copyRowsTo(view.rows(), from, some, width, tile);
        } else {
            rows.copyTo(first * width + column, tile, 0, some * n);
        }
    }

    /** Adds the rows {@code [begin, end)} of the tile, in order. */
    private void addRows(int begin, int end, int n) {
        int i = begin;
        for (; i + 3 < end; i += 4) {
            addFour(sum, tile, i * n, n);
        }
        for (; i < end; i++) {
            addOne(sum, tile, i * n, n);
        }
    }

    private static void addOne(float[] sum, float[] values, int from, int n) {
        for (int i = 0; i < n; i++) {
            sum[i] += values[from + i];
        }
    }

    /**
     * Adds four rows, one after the other, in one pass over the sums: most of the time of a short pass is spent at its
     * ends.
     */
    private static void addFour(float[] sum, float[] values, int from, int n) {
        int second = from + n;
        int third = second + n;
        int fourth = third + n;
        for (int i = 0; i < n; i++) {
            sum[i] = sum[i] + values[from + i] + values[second + i] + values[third + i] + values[fourth + i];
        }
    }
}
