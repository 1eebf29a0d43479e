package io.psf.builtin.internal.allreduce;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.concurrent.CompletionStage;

/**
 * Combines the values of all workers in the memory that {@link MakeReduction} has made. The values are sliced like the
 * memory, so that each server combines a part.
 */
@PsFunction(ReduceValues.NAME)
public interface ReduceValues {
    /** The name of the function, whose memory the shards are. */
    String NAME = "psf.allreduce";

    /**
     * The values of one worker. The calls of one number belong together, one of each worker. A call fails with {@code
     * BAD_REQUEST} if its number has passed, if its worker has called with it before, or if other workers have called
     * with another operation.
     *
     * @param tensor the memory, whose shape the values have
     * @param operation what is computed
     * @param number the number of the all-reduce, ascending from the number of {@link NextReduction}
     * @param values [rows, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            Operation operation,
            long number,
            @ByRange FloatArray values) {}

    /**
     * The result.
     *
     * @param values [rows, width] float32, the same for all workers
     */
    record Response(@ByRange FloatArray values) {}

    /** Answers once all workers have called that have not left and are not lost. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Reductions.require(shard).add(slice);
    }
}
