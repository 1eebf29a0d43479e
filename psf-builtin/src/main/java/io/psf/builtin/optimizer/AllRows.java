package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Steps every row of a shard for a push of some rows: the gradients of the others are 0. The rows are stepped block by
 * block, so that a push takes no memory of the table's size.
 */
final class AllRows {
    /** The number of elements of a block, if a row has fewer. */
    private static final int BLOCK = 1 << 14;

    private final Shard shard;
    private final FloatArray update;
    private final int count;
    /** By position in the order of the rows: the row, then the position in the update. */
    private final long[] sorted;

    /**
     * Creates the rows of a push.
     *
     * @param update [count, width] float32; the updates of a duplicate row are summed
     * @param rows [at least count], the shard's row number for each row of the update
     */
    AllRows(Shard shard, FloatArray update, int[] rows, int count) {
        this.shard = shard;
        this.update = update;
        this.count = count;
        this.sorted = new long[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (long) rows[i] << Integer.SIZE | i;
        }
        Arrays.sort(sorted);
    }

    void step(Kernel kernel, @Nullable Gradients gradients, int steps) {
        int width = shard.width();
        int most = Math.max(1, Math.min(shard.rows(), BLOCK / width));
        float[] gradient = new float[most * width];
        float[] row = new float[width];
        Walk walk = new Walk(kernel, gradients, steps, shard, FloatArray.wrap(gradient), TiledOptimizer.tiles());
        int next = 0;
        for (int begin = 0; begin < shard.rows(); begin += most) {
            int end = Math.min(shard.rows(), begin + most);
            Arrays.fill(gradient, 0);
            for (; next < count && sorted[next] >>> Integer.SIZE < end; next++) {
                update.copyTo((int) sorted[next] * width, row, 0, width);
                int at = ((int) (sorted[next] >>> Integer.SIZE) - begin) * width;
                for (int c = 0; c < width; c++) {
                    gradient[at + c] += row[c];
                }
            }
            walk.block(begin, end - begin);
        }
    }
}
