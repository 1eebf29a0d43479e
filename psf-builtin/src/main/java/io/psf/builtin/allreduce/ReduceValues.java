package io.psf.builtin.allreduce;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.concurrent.CompletionStage;

/**
 * Combines the values of all workers. The values are sliced like the tensor, so that each server combines a part. The
 * result replaces the tensor's values.
 */
@PsFunction("psf.allreduce")
public interface ReduceValues {
    /**
     * The values of one worker. The calls of one number belong together, one of each worker. A call fails with {@code
     * BAD_REQUEST} if its number has passed, if its worker has called with it before, or if other workers have called
     * with another operation.
     *
     * @param tensor the tensor whose shape the values have
     * @param operation what is computed
     * @param number the number of the all-reduce, ascending from that of {@link NextReduction}
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
        return Reductions.of(shard).add(slice);
    }
}
