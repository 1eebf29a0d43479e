package io.psf.benchmarks;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/**
 * Measures the time of a tensor's optimizer next to the shard, or of a loop over as many floats on the server's heap.
 */
@PsFunction("bench.step")
public interface Step {
    /** The measured work. */
    enum Work {
        /** A dense update by the tensor's optimizer. */
        OPTIMIZER,
        /** {@code y += a x} on the heap. */
        SAXPY,
        /** A copy on the heap. */
        COPY
    }

    /**
     * The work to measure.
     *
     * @param tensor the tensor whose optimizer steps
     * @param work the kind of work
     * @param times the number of repetitions
     */
    record Request(TensorId tensor, Work work, int times) {}

    /**
     * The result.
     *
     * @param nanos the nanoseconds of all repetitions, summed over the shards
     */
    record Response(@Reduce(SUM) long nanos) {}

    /** Runs the work and measures its time. */
    default Response handle(Request slice, Shard shard) {
        StepArrays arrays = shard.attachment(StepArrays.class, () -> new StepArrays(shard.rows() * shard.width()));
        long begin = System.nanoTime();
        for (int i = 0; i < slice.times(); i++) {
            switch (slice.work()) {
                case OPTIMIZER -> shard.optimizer().apply(shard, arrays.update);
                case SAXPY -> Floors.saxpy(arrays.y, 1e-3f, arrays.x);
                case COPY -> Floors.copy(arrays.x, arrays.y);
            }
        }
        return new Response(System.nanoTime() - begin);
    }
}
