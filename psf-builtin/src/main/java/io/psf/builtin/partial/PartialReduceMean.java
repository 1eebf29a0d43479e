package io.psf.builtin.partial;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.concurrent.CompletionStage;

/**
 * Averages what the partners of a partial reduce have, as {@link PartialReducePartners} has told them who they are. The
 * tensor lends its slices, so that each server averages a part; its own values are not touched.
 */
@PsFunction("psf.preduce.mean")
public interface PartialReduceMean {
    /**
     * What one partner has. A worker that is not one of the ranks, or comes twice, fails with {@code BAD_REQUEST}.
     *
     * @param tensor whose shape the values have
     * @param group the group's key
     * @param number which of the key's groups it is
     * @param ranks [n], the partners' ranks as workers
     * @param values [rows, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            long group,
            long number,
            int[] ranks,
            @ByRange FloatArray values) {}

    /**
     * What they have together.
     *
     * @param mean [rows, width] float32, of those partners that have come; who has left or is lost is not waited for
     */
    record Response(@ByRange FloatArray mean) {}

    /** Answers when all partners that are there have come. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return PartialMeans.of(shard).add(slice, shard);
    }
}
