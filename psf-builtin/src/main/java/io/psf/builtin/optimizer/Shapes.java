package io.psf.builtin.optimizer;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/** Checks the shapes of updates. */
public final class Shapes {
    private Shapes() {}

    /**
     * Checks an update of every row of a shard.
     *
     * @param update [rows, width] float32
     * @throws PsException with {@code BAD_REQUEST} if the update has another length
     */
    public static void requireDense(Shard shard, FloatArray update) {
        require(update.length(), shard.rows(), "rows", shard.width());
    }

    /**
     * Checks an update of some rows of a shard.
     *
     * @param keys [n] int64, global keys
     * @param update [n, width] float32
     * @throws PsException with {@code BAD_REQUEST} if the update has another length
     */
    public static void requireSparse(Shard shard, LongArray keys, FloatArray update) {
        require(update.length(), keys.length(), "keys", shard.width());
    }

    private static void require(int actual, int rows, String name, int width) {
        long expected = (long) rows * width;
        if (actual != expected) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "update length: " + actual + " (expected: " + expected + " = " + rows + " " + name + " x " + width
                            + " wide)");
        }
    }
}
