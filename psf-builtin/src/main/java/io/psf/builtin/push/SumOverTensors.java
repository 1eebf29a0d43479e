package io.psf.builtin.push;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/**
 * Adds the parts of the square of a norm over several tensors, of all slices of them. Called when a round closes, by
 * each slice of each tensor, on the slice of the first tensor that owns key 0. Answered when all slices have called.
 */
@PsFunction(value = "psf.push.norm", ordered = false)
public interface SumOverTensors {
    /**
     * One slice's part.
     *
     * @param first the first of the tensors
     * @param coordinator [1] int64, key 0, whose slice of that tensor adds the parts
     * @param tensor the tensor whose round has closed
     * @param member the number of that tensor among the tensors, from 1
     * @param members the number of the tensors
     * @param round the number of the round, the same on all slices of the tensor
     * @param step identifies the step among all steps of the slice
     * @param slice the slice of the tensor that has computed the part
     * @param slices the number of that tensor's slices
     * @param part the slice's part
     */
    record Request(
            TensorId first,
            @ByKey LongArray coordinator,
            TensorId tensor,
            int member,
            int members,
            long round,
            long step,
            int slice,
            int slices,
            double part) {}

    /**
     * The sum.
     *
     * @param total over all slices of all tensors, added in the order of the tensors and their slices
     */
    record Response(@Reduce(SUM) double total) {}

    /** Answers when all slices have called. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return TensorSums.of(shard).add(slice);
    }
}
