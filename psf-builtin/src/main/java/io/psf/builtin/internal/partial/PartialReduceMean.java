package io.psf.builtin.internal.partial;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.concurrent.CompletionStage;

/**
 * Averages the values of the partners of a partial reduce, which {@link PartialReducePartners} has found. The values
 * are sliced like the tensor, so that each server averages a part. The tensor's own values do not change.
 */
@PsFunction("psf.preduce.mean")
public interface PartialReduceMean {
    /**
     * The values of one partner. A call fails with {@code BAD_REQUEST} if its worker is not one of the ranks, or if the
     * worker calls twice.
     *
     * @param tensor the tensor whose shape the values have
     * @param group the group's key
     * @param number the group's number among the groups of the key
     * @param ranks [n] int32, the partners' ranks as workers
     * @param values [rows, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            long group,
            long number,
            int[] ranks,
            @ByRange FloatArray values) {}

    /**
     * The mean.
     *
     * @param mean [rows, width] float32, the mean over the partners that have called; a partner that has left or is
     *     lost is not waited for
     */
    record Response(@ByRange FloatArray mean) {}

    /** Answers once all partners have called that have not left and are not lost. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return PartialMeans.of(shard).add(slice);
    }
}
