package io.psf.builtin.internal.allreduce;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Drops the memory of an all-reduce on every server. If it does not exist, nothing changes. */
@PsFunction(value = "psf.allreduce.clear", at = Place.SERVER)
public interface ClearReduction {
    /**
     * The memory to drop.
     *
     * @param tensor its name
     */
    record Request(TensorId tensor) {}

    /**
     * The result.
     *
     * @param dropped the number of dropped shards
     */
    record Response(@Reduce(SUM) int dropped) {}

    /** Drops this server's shards. */
    default Response handle(Request request, Node node) {
        ReductionMemory.requireNoTensor(node, request.tensor());
        return new Response(node.drop(request.tensor()));
    }
}
