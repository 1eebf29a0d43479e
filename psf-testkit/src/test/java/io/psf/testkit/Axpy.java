package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;

/** A right function: it changes rows and reduces. */
@PsFunction("test.axpy")
interface Axpy {
    record Request(TensorId y, float alpha, @ByRange FloatArray x) {}

    record Response(@Reduce(SUM) double squaredNorm) {}

    default Response handle(Request slice, Shard shard) {
        shard.values().addScaled(slice.alpha(), slice.x());
        return new Response(shard.values().dot(shard.values()));
    }
}
