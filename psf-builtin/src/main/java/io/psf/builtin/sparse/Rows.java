package io.psf.builtin.sparse;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;

/** Rows of a shard, one after the other. */
public final class Rows {
    private Rows() {}

    /**
     * Copies rows into scratch memory for an answer.
     *
     * @param rows [n], local rows
     * @return [n, width] float32, good until the answer is sent
     */
    public static FloatArray gather(Shard shard, int[] rows) {
        int width = shard.width();
        FloatArray gathered = shard.allocate(Math.multiplyExact(rows.length, width));
        gathered.gather(shard.values(), rows, 0, rows.length, width);
        return gathered;
    }
}
