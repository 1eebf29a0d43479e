package io.psf.builtin.push;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/**
 * Adds the slices' parts of the sums that one step of a tensor's optimizer needs, such as of a gradient's norm. Called
 * by the handler of a push on each slice, on the slice that owns key 0. Answered when all slices have called.
 */
@PsFunction(value = "psf.push.sums", ordered = false)
public interface SumOverSlices {
    /**
     * One slice's part.
     *
     * @param tensor the tensor
     * @param coordinator [1] int64, key 0, whose slice adds the parts
     * @param worker the rank of the worker that pushes; -1 for a round
     * @param push the number of the push of that worker, or of the round
     * @param stage the number of the sums within the step, from 0; -1 for the check of a push before it
     * @param slice the slice that has computed the part
     * @param slices the number of the tensor's slices
     * @param part [sums], the slice's part
     */
    record Request(
            TensorId tensor,
            @ByKey LongArray coordinator,
            int worker,
            long push,
            int stage,
            int slice,
            int slices,
            double[] part) {}

    /**
     * The sums.
     *
     * @param totals [sums] float64, over all slices, added in their order
     */
    record Response(@Reduce(SUM) DoubleArray totals) {}

    /** Answers when all slices have called. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return SliceSums.of(shard).add(slice);
    }
}
