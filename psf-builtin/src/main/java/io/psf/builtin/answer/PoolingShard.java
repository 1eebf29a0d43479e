package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * A shard that adds rows where they are, such as in a device's memory, so that only the sums leave it. The bits equal
 * {@link Answers#sums} on any other shard.
 */
public interface PoolingShard extends Shard {
    /**
     * Returns the sums of rows of bags of keys, in scratch memory for the answer, converted to the format of the wire
     * or not. A key without a row has its row's initial values; no row is created.
     *
     * @param keys [n] int64 global keys, the first bag's keys first
     * @param ends [bags] the index behind the last key of each bag, ascending, the last one n: no bag is empty
     * @param wire the format in which the array is sent
     * @return [bags, width] float32: rows are added to zero in the order of the keys; null if this shard cannot add
     *     them, as where it has no initial values of rows: then the rows are added in the host's memory
     * @throws io.psf.api.PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    @Nullable
    FloatArray sums(LongArray keys, int[] ends, FloatType wire);
}
