package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;

/** Values of a shard for arrays of answers that travel in the tensor's format. */
public final class Answers {
    private Answers() {}

    /** Returns all values of the shard. Nobody but the answer reads them. */
    public static FloatArray values(Shard shard) {
        return shard instanceof EncodingShard own ? own.valuesForAnswer(wire(shard)) : shard.valuesForAnswer();
    }

    /** Returns the values of rows, as {@link Shard#gatherForAnswer}. Nobody but the answer reads them. */
    public static FloatArray rows(Shard shard, LongArray keys) {
        return shard instanceof EncodingShard own
                ? own.gatherForAnswer(keys, wire(shard))
                : shard.gatherForAnswer(keys);
    }

    /** Returns the values of rows, as {@link Shard#gather}: a copy. Nobody but the answer reads them. */
    public static FloatArray copy(Shard shard, LongArray keys) {
        return shard instanceof EncodingShard own ? own.gatherForAnswer(keys, wire(shard)) : shard.gather(keys);
    }

    /** Returns the sums of the rows of bags of keys, as {@link PoolingShard#sums}. */
    public static FloatArray sums(Shard shard, LongArray keys, int[] ends) {
        FloatArray own = shard instanceof PoolingShard pooling ? pooling.sums(keys, ends, wire(shard)) : null;
        return own == null ? RowSums.of(shard, keys, ends) : own;
    }

    private static FloatType wire(Shard shard) {
        return shard.spec().types().wire();
    }
}
