package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies one push to a shard. A {@link SpanKernel} steps long spans in place, and rows by key one after the other. All
 * other elements go through tiles: each tile is copied in, stepped by a {@link Kernel} and copied out. Rows by key are
 * gathered into tiles, as many as fit.
 */
final class Walk {
    /** The number of elements from which on a span kernel pays off. */
    private static final int LONG = 8 * Tiles.SIZE;

    /** The number of elements that are stepped between two prefetches of as many elements of the next tile. */
    private static final int CHUNK = 256;

    /**
     * Tiles are stepped in multiples of this many elements; the elements after the last one are padding. If tiny
     * tensors step one element at a time, the JIT compiles the kernel's loop for short trip counts, and long loops then
     * take 1.6 times as long.
     */
    private static final int MULTIPLE = 64;

    /** The number of elements in a cache line of most machines. */
    private static final int LINE = 64 / Float.BYTES;

    private final Kernel kernel;
    private final int width;
    private final Tiles tiles;
    private final FloatArray values;
    private final FloatArray update;
    private final FloatArray[] state;
    private final float[][] stateTiles;
    /** The steps of each row; null unless the formula needs them. */
    private final @Nullable FloatArray steps;
    /** The steps of the tensor; 0 unless the formula needs them. */
    private final int stepsOfTensor;

    private final @Nullable Gradients gradients;
    private final @Nullable SpanKernel inPlace;
    /** True if {@link #inPlace} steps rows by key. */
    private final boolean rowsInPlace;
    /**
     * The number of elements between the start of a cache line and the shard's first element. Vector stores are fastest
     * if aligned to cache lines.
     */
    private final int pastLine;

    /**
     * Creates a walk.
     *
     * @param gradients what happens to the gradients before the formula; null for nothing
     * @param stepsOfTensor the steps of the tensor; 0 unless the formula needs them
     */
    Walk(Kernel kernel, @Nullable Gradients gradients, int stepsOfTensor, Shard shard, FloatArray update, Tiles tiles) {
        List<String> names = kernel.state();
        this.kernel = kernel;
        this.gradients = gradients;
        this.stepsOfTensor = stepsOfTensor;
        this.width = shard.width();
        this.tiles = tiles;
        this.stateTiles = tiles.state(names.size());
        this.values = shard.values();
        this.update = update;
        this.state = new FloatArray[names.size()];
        for (int s = 0; s < state.length; s++) {
            state[s] = shard.slot(names.get(s), width);
        }
        this.steps = kernel.counting() == Kernel.Counting.ROWS ? shard.slot(Kernel.STEPS, 1) : null;
        KernelProvider provider =
                update.length() < LONG || kernel.replaces() || gradients != null ? null : KernelProviders.of(kernel);
        this.inPlace = provider == null ? null : provider.bind(kernel, values, update, state);
        this.rowsInPlace = provider != null && inPlace != null && provider.stepsRows(width);
        ByteBuffer bytes = inPlace == null ? null : ArrayMemory.offHeap(values);
        this.pastLine = bytes == null ? 0 : bytes.alignmentOffset(0, LINE * Float.BYTES) / Float.BYTES;
    }

    /** Steps every row of the shard. */
    void allRows(int rows) {
        if (steps == null) {
            span(0, 0, rows * width, stepsOfTensor);
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

    /** Steps consecutive rows, of which the update has the gradients from its beginning on. */
    void block(int first, int n) {
        span(first * width, 0, n * width, stepsOfTensor);
    }

    /**
     * Steps some rows, in order. A duplicate row is stepped twice.
     *
     * @param rows [at least count], the shard's row number for each row of the update
     * @param count the number of rows of the update
     */
    void rows(int[] rows, int count) {
        int ahead = FloatArray.rowsToPrefetch(width, 1 + state.length);
        for (int i = 0; i < count; i += ahead) {
            int end = Math.min(count, i + ahead);
            prefetch(values, state, width, rows, i, end - i);
            if (inPlace != null && rowsInPlace) {
                stepInPlace(inPlace, rows, i, end);
            } else {
                stepTiles(rows, i, end);
            }
        }
    }

    /** Steps the rows whose numbers are elements {@code [from, to)} of {@code rows}, one after the other. */
    private void stepInPlace(SpanKernel kernel, int[] rows, int from, int to) {
        ArrayMemory.markRows(values, rows, from, to - from, width);
        for (FloatArray slot : state) {
            ArrayMemory.markRows(slot, rows, from, to - from, width);
        }
        if (steps != null) {
            steps.prefetchRows(rows, from, to - from, 1);
        }
        for (int i = from; i < to; i++) {
            var unused = kernel.step(rows[i] * width, i * width, width, count(rows[i]));
        }
    }

    /**
     * Loads n rows of the values and of the state ahead, the numbers of which are in {@code rows} from index
     * {@code from} on.
     *
     * @param values null if they are not read
     */
    static void prefetch(@Nullable FloatArray values, FloatArray[] state, int width, int[] rows, int from, int n) {
        if (values != null) {
            values.prefetchRows(rows, from, n, width);
        }
        for (FloatArray slot : state) {
            slot.prefetchRows(rows, from, n, width);
        }
    }

    /** Steps the rows whose numbers are elements {@code [from, to)} of {@code rows}, tile by tile. */
    private void stepTiles(int[] rows, int from, int to) {
        int most = Math.max(1, Tiles.SIZE / width);
        for (int i = from; i < to; ) {
            int n = tiles.distinct(rows, i, Math.min(most, to - i));
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
        if (gradients != null) {
            gradients.apply(tiles.w, tiles.g, n * width);
        }
        if (steps == null) {
            kernel.step(tiles.w, tiles.g, stateTiles, 0, padded(n * width), stepsOfTensor);
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

    /**
     * Increments the step counts of the run of rows, from {@code row} on, that have equal counts. Returns the end of
     * the run.
     */
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
            return stepsOfTensor;
        }
        float count = steps.get(row) + 1;
        steps.set(row, count);
        return (int) count;
    }

    /**
     * Steps n elements.
     *
     * @param at the index of the first element in the shard
     * @param from the index of the first element in the update
     * @param count the number of steps, this one included; 0 unless the kernel counts steps
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
            mark(at + done, n - done);
            done += inPlace.step(at + done, from + done, n - done, count);
        }
        for (; done < n; done += Tiles.SIZE) {
            tile(at + done, from + done, Math.min(Tiles.SIZE, n - done), n - done - Tiles.SIZE, count);
        }
    }

    /** Marks the rows of elements that are stepped in place. */
    private void mark(int at, int n) {
        ArrayMemory.mark(values, at, n);
        for (FloatArray slot : state) {
            ArrayMemory.mark(slot, at, n);
        }
    }

    /** Steps the n elements of a tile. {@code next} elements follow; the first of them are prefetched meanwhile. */
    private void tile(int at, int from, int n, int next, int count) {
        copyIn(values, at, tiles.w, n);
        copyIn(update, from, tiles.g, n);
        for (int s = 0; s < state.length; s++) {
            copyIn(state[s], at, stateTiles[s], n);
        }
        if (gradients != null) {
            gradients.apply(tiles.w, tiles.g, n);
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

    /**
     * Copies into a tile. Handles a single element separately: a buffer copies by a loop, and the JIT would compile
     * that loop for single elements and make it slow for longer copies.
     */
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

    /** Steps a tile, and prefetches the memory that the next tile is copied from. */
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
