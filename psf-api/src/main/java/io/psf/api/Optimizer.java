package io.psf.api;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/**
 * Defines how a push changes a shard: the optimizer adds, assigns, or makes a step with state that is stored in the
 * shard's slots. Runs on the shard's lane. Implementations hold no state of their own, so that one object may serve
 * many shards.
 */
public interface Optimizer {
    /**
     * Applies an update to every row of the shard.
     *
     * @param shard the shard whose values and slots change
     * @param update [rows, width] float32; borrowed until the method returns
     */
    void apply(Shard shard, FloatArray update);

    /**
     * Applies an update to some rows of the shard. A key that occurs more than once counts once, with the sum of its
     * updates, only if the caller folded the keys. Otherwise each occurrence is a separate step.
     *
     * @param shard the shard whose values and slots change
     * @param keys [n] int64, global keys; borrowed until the method returns
     * @param update [n, width] float32; borrowed until the method returns
     * @throws PsException with {@code OUT_OF_RANGE} if the shard does not own one of the keys; then nothing has changed
     */
    void apply(Shard shard, LongArray keys, FloatArray update);

    /**
     * Returns a name that identifies the meaning of the state in the slots. A tensor is loaded only with the state of
     * an optimizer of the same name. The optimizer's arguments, such as a learning rate, are not part of the name.
     */
    default String name() {
        return getClass().getName();
    }
}
