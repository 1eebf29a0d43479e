package io.psf.api;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/**
 * How a push changes a shard: adds, assigns, or steps an optimizer whose state lies in the shard's slots. Runs on the
 * shard's lane. Implementations hold no state of their own, so that one object may serve many shards.
 */
public interface Optimizer {
    /**
     * Applies an update to every row of the shard.
     *
     * @param shard whose values and slots change
     * @param update [rows, width] float32; borrowed until the method returns
     */
    void apply(Shard shard, FloatArray update);

    /**
     * Applies an update to some rows of the shard. A key that occurs more than once counts once, with the sum of its
     * updates, only if the caller folded it; otherwise each occurrence is a step of its own.
     *
     * @param shard whose values and slots change
     * @param keys [n] int64, global keys; borrowed until the method returns
     * @param update [n, width] float32; borrowed until the method returns
     * @throws PsException with {@code OUT_OF_RANGE} if the shard does not own a key, and then nothing has changed
     */
    void apply(Shard shard, LongArray keys, FloatArray update);

    /**
     * What its state in the slots means: a tensor is loaded with the state of an optimizer of the same name alone. The
     * arguments, such as a learning rate, are no part of it.
     */
    default String name() {
        return getClass().getName();
    }
}
