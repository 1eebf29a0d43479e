package io.psf.builtin.sparse;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredShard;

/**
 * Returns the values of consecutive rows of a tensor that does not grow, as float32 whatever the tensor's format on the
 * wire. Only the slice of the first row is asked.
 */
@PsFunction(value = "psf.sparse.fetch.range", readOnly = true)
public interface FetchRange {
    /**
     * The rows.
     *
     * @param tensor the tensor
     * @param first [1] int64, the first row; borrowed until await returns
     * @param most the most rows to return, at least 1
     */
    record Request(TensorId tensor, @ByKey LongArray first, int most) {}

    /**
     * The values.
     *
     * @param values [n, width] float32: at least one row, at most {@code most}, from the first one on; none behind its
     *     slice. One slice answers, so nothing is added
     */
    record Response(@Reduce(Reduction.SUM) FloatArray values) {}

    /** Returns rows of this shard. */
    default Response handle(Request slice, StoredShard shard) {
        if (shard.spec().grows() || slice.first().length() != 1 || slice.most() < 1) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "rows of tensor \"" + slice.tensor() + "\" " + shard.spec().shape() + ": at most " + slice.most()
                            + " from each of " + slice.first().length()
                            + " (expected: at least 1, from one row of a tensor that does not grow)");
        }
        long first = slice.first().get(0) - shard.range().begin();
        return new Response(shard.storedValues().read((int) first, (int) Math.min(slice.most(), shard.rows() - first)));
    }
}
