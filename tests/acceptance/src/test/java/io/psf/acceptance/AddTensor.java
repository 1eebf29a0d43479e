package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;

/** y <- y + alpha x between tensors, next to the shards; answers the squared norm of the new y. */
@PsFunction("acceptance.add.tensor")
interface AddTensor {
    record Request(TensorId y, float alpha, TensorId x) {}

    record Response(@Reduce(SUM) double squaredNorm) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray y = shard.values();
        y.addScaled(slice.alpha(), shard.other(slice.x()).values());
        return new Response(y.dot(y));
    }
}
