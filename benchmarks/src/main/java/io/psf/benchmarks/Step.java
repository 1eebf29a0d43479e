package io.psf.benchmarks;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Steps a tensor's optimizer next to the shard, or works through as many floats on the heap there: how long it takes. */
@PsFunction("bench.step")
public interface Step {
    /** What is done. */
    enum Work {
        /** A dense update by the tensor's optimizer. */
        OPTIMIZER,
        /** {@code y += a x} on the heap. */
        SAXPY,
        /** A copy on the heap. */
        COPY
    }

    /**
     * What is to be done.
     *
     * @param tensor whose optimizer it is
     * @param work what
     * @param times how often
     */
    record Request(TensorId tensor, Work work, int times) {}

    /**
     * What it took.
     *
     * @param nanos all times together
     */
    record Response(@Reduce(SUM) long nanos) {}

    /** Does it. */
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
