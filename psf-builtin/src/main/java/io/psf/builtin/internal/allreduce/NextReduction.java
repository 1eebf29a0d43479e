package io.psf.builtin.internal.allreduce;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.builtin.push.Workers;

/** Returns the number of the next {@link ReduceValues} in a memory. */
@PsFunction(value = "psf.allreduce.next", readOnly = true)
public interface NextReduction {
    /**
     * The memory.
     *
     * @param tensor the memory
     */
    record Request(TensorId tensor) {}

    /**
     * The number.
     *
     * @param number the first number that is for the calling worker: none that it has called, or that other workers
     *     have called before it joined the cluster
     */
    record Response(@Reduce(Reduction.MAX) long number) {}

    /** Returns the shard's next number for the calling worker. */
    default Response handle(Request slice, Shard shard) {
        return new Response(Reductions.require(shard).next(Workers.rank(shard.call(), "all-reduce")));
    }
}
