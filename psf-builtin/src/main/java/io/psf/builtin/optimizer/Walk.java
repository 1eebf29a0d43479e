package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One push on its way over a shard: long spans by a {@link SpanKernel} where they lie, all else through tiles, each
 * copied in, stepped by a {@link Kernel} and copied out. Rows by key are gathered into tiles, as many as fit.
 */
final class Walk {
    /** How often each row has been stepped, as float32: exact to 2^24, and beyond that no correction is left to make. */
    private static final String STEPS = "steps";

    /** Elements that a span kernel pays off from. */
    private static final int LONG = 8 * Tiles.SIZE;

    /** Elements that are stepped while as many of the next tile are brought into the cache. */
    private static final int CHUNK = 256;

    /**
     * Tiles are stepped in multiples of so many elements; those behind the last are nobody's. A compiler that has seen a
     * kernel step one element at a time, for tiny tensors, takes its loop for a short one, and long ones then take
     * 1.6 times as long.
     */
    private static final int MULTIPLE = 64;

    /** Elements in a cache line of most machines. */
    private static final int LINE = 64 / Float.BYTES;

    private final Kernel kernel;
    private final int width;
    private final Tiles tiles;
    private final FloatArray values;
    private final FloatArray update;
    private final FloatArray[] state;
    private final float[][] stateTiles;
    private final @Nullable FloatArray steps;
    private final @Nullable SpanKernel inPlace;
    /** Elements between the beginning of a cache line and the shard's first: vectors are stored fastest by lines. */
    private final int pastLine;

    Walk(Kernel kernel, Shard shard, FloatArray update, Tiles tiles) {
        List<String> names = kernel.state();
        this.kernel = kernel;
        this.width = shard.width();
        this.tiles = tiles;
        this.stateTiles = tiles.state(names.size());
        this.values = shard.values();
        this.update = update;
        this.state = new FloatArray[names.size()];
        for (int s = 0; s < state.length; s++) {
            state[s] = shard.slot(names.get(s), width);
        }
        this.steps = kernel.countsSteps() ? shard.slot(STEPS, 1) : null;
        this.inPlace = update.length() < LONG || Providers.FOUND == null || kernel.replaces()
                ? null
                : Providers.FOUND.bind(kernel, values, update, state);
        ByteBuffer bytes = inPlace == null ? null : values.offHeap();
        this.pastLine = bytes == null ? 0 : bytes.alignmentOffset(0, LINE * Float.BYTES) / Float.BYTES;
    }

    /** Steps every row of the shard. */
    void allRows(int rows) {
        if (steps == null) {
            span(0, 0, rows * width, 0);
            return;
        }
        int begin = 0;
        float pending = 0;
        for (int first = 0; first < rows; first += Tiles.SIZE) {
            int n = Math.min(Tiles.SIZE, rows - first);
            steps.copyTo(first, tiles.counts, 0, n);
            for (int row = 0; row < n; ) {
                int end = countRun(row, n);
                if (tiles.counts[row] != pending) {
                    span(begin * width, begin * width, (first + row - begin) * width, (int) pending);
                    begin = first + row;
                    pending = tiles.counts[row];
                }
                row = end;
            }
            steps.copyFrom(first, tiles.counts, 0, n);
        }
        span(begin * width, begin * width, (rows - begin) * width, (int) pending);
    }

    /**
     * Steps some rows, in order; one that occurs twice is stepped twice.
     *
     * @param rows [at least count], the shard's row for each row of the update
     * @param count how many rows the update has
     */
    void rows(int[] rows, int count) {
        int most = Math.max(1, Tiles.SIZE / width);
        for (int i = 0; i < count; ) {
            int n = tiles.distinct(rows, i, Math.min(most, count - i));
            if (width <= Tiles.SIZE) {
                gathered(rows, i, n);
            } else {
                span(rows[i] * width, i * width, width, count(rows[i]));
            }
            i += n;
        }
    }

    private void gathered(int[] rows, int from, int n) {
        if (kernel.replaces()) {
            update.copyTo(from * width, tiles.g, 0, n * width);
            values.copyRowsFrom(rows, from, n, width, tiles.g);
            return;
        }
        values.copyRowsTo(rows, from, n, width, tiles.w);
        update.copyTo(from * width, tiles.g, 0, n * width);
        for (int s = 0; s < state.length; s++) {
            state[s].copyRowsTo(rows, from, n, width, stateTiles[s]);
        }
        if (steps == null) {
            kernel.step(tiles.w, tiles.g, stateTiles, 0, padded(n * width), 0);
        } else {
            steps.copyRowsTo(rows, from, n, 1, tiles.counts);
            for (int row = 0; row < n; ) {
                int end = countRun(row, n);
                kernel.step(tiles.w, tiles.g, stateTiles, row * width, end * width, (int) tiles.counts[row]);
                row = end;
            }
            steps.copyRowsFrom(rows, from, n, 1, tiles.counts);
        }
        values.copyRowsFrom(rows, from, n, width, tiles.w);
        for (int s = 0; s < state.length; s++) {
            state[s].copyRowsFrom(rows, from, n, width, stateTiles[s]);
        }
    }

    /** Counts a step of the rows in the tile, from one on, that have been stepped equally often; one past the last. */
    private int countRun(int row, int n) {
        float[] counts = tiles.counts;
        float before = counts[row];
        int end = row;
        while (end < n && counts[end] == before) {
            counts[end++] = before + 1;
        }
        return end;
    }

    private int count(int row) {
        if (steps == null) {
            return 0;
        }
        float count = steps.get(row) + 1;
        steps.set(row, count);
        return (int) count;
    }

    /**
     * Steps n elements.
     *
     * @param at the first element of the shard
     * @param from the first element of the update
     * @param count how often they have been stepped, this time included; 0 unless the kernel counts
     */
    private void span(int at, int from, int n, int count) {
        if (kernel.replaces()) {
            values.slice(at, at + n).copyFrom(update.slice(from, from + n));
            return;
        }
        int done = 0;
        if (inPlace != null && n >= LONG) {
            done = -(at + pastLine) & (LINE - 1);
            tile(at, from, done, 0, count);
            done += inPlace.step(at + done, from + done, n - done, count);
        }
        for (; done < n; done += Tiles.SIZE) {
            tile(at + done, from + done, Math.min(Tiles.SIZE, n - done), n - done - Tiles.SIZE, count);
        }
    }

    /** Steps n elements; as many as {@code next} says follow, of which some are brought into the cache meanwhile. */
    private void tile(int at, int from, int n, int next, int count) {
        copyIn(values, at, tiles.w, n);
        copyIn(update, from, tiles.g, n);
        for (int s = 0; s < state.length; s++) {
            copyIn(state[s], at, stateTiles[s], n);
        }
        if (state.length == 0) {
            kernel.step(tiles.w, tiles.g, stateTiles, 0, padded(n), count);
        } else {
            stepAndPrefetch(at + n, from + n, n, next, count);
        }
        copyOut(values, at, tiles.w, n);
        for (int s = 0; s < state.length; s++) {
            copyOut(state[s], at, stateTiles[s], n);
        }
    }

    /** Single elements apart: a buffer copies them by a loop, and compiled for those it is slow for others. */
    private static void copyIn(FloatArray from, int at, float[] tile, int n) {
        if (n == 1) {
            tile[0] = from.get(at);
        } else {
            from.copyTo(at, tile, 0, n);
        }
    }

    private static void copyOut(FloatArray to, int at, float[] tile, int n) {
        if (n == 1) {
            to.set(at, tile[0]);
        } else {
            to.copyFrom(at, tile, 0, n);
        }
    }

    /** Steps a tile, and meanwhile brings what the next one is copied from into the cache. */
    private void stepAndPrefetch(int nextAt, int nextFrom, int n, int next, int count) {
        for (int done = 0; done < n; done += CHUNK) {
            int following = Math.min(next - done, CHUNK);
            values.prefetch(nextAt + done, following);
            update.prefetch(nextFrom + done, following);
            for (FloatArray slot : state) {
                slot.prefetch(nextAt + done, following);
            }
            kernel.step(tiles.w, tiles.g, stateTiles, done, Math.min(done + CHUNK, padded(n)), count);
        }
    }

    private static int padded(int n) {
        return Math.min(Tiles.SIZE, (n + MULTIPLE - 1) & -MULTIPLE);
    }
}
