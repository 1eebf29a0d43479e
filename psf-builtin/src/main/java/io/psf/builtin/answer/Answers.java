package io.psf.builtin.answer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/** Values of a shard for arrays of answers that travel in the tensor's format. */
public final class Answers {
    private Answers() {}

    /** Returns all values of the shard. */
    public static FloatArray values(Shard shard) {
        EncodingShard own = encoding(shard);
        return own == null ? shard.valuesForAnswer() : own.valuesForAnswer(wire(shard));
    }

    /** Returns the values of rows, as {@link Shard#gatherForAnswer}. */
    public static FloatArray rows(Shard shard, LongArray keys) {
        EncodingShard own = encoding(shard);
        return own == null ? shard.gatherForAnswer(keys) : own.gatherForAnswer(keys, wire(shard));
    }

    /** Returns the values of rows, as {@link Shard#gather}: a copy. */
    public static FloatArray copy(Shard shard, LongArray keys) {
        EncodingShard own = encoding(shard);
        return own == null ? shard.gather(keys) : own.gatherForAnswer(keys, wire(shard));
    }

    /** Returns the sums of the rows of bags of keys, as {@link PoolingShard#sums}. */
    public static FloatArray sums(Shard shard, LongArray keys, int[] ends) {
        FloatArray own = shard instanceof PoolingShard pooling ? pooling.sums(keys, ends) : null;
        return own == null ? RowSums.of(shard, keys, ends) : own;
    }

    private static FloatType wire(Shard shard) {
        return shard.spec().types().wire();
    }

    private static @Nullable EncodingShard encoding(Shard shard) {
        return wire(shard) != FloatType.FLOAT32 && shard instanceof EncodingShard own ? own : null;
    }
}
