package io.psf.builtin.sparse;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/** Rows of a shard, one after the other. */
public final class Rows {
    private Rows() {}

    /**
     * Checks that a shard owns keys, whose rows are looked for later: a load may come in between, and renumber them.
     *
     * @param keys [n] int64
     * @throws io.psf.api.PsException with {@code OUT_OF_RANGE} naming the first that it does not own
     */
    public static void requireOwned(Shard shard, LongArray keys) {
        for (int i = 0; i < keys.length(); i++) {
            if (!shard.owns(keys.get(i))) {
                var unused = shard.row(keys.get(i)); // throws: it names the key, and makes no row of it
            }
        }
    }

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
