package io.psf.examples.axpy;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;

/** y <- y + alpha x, next to the shard; returns the squared norm of the new y. */
@PsFunction("acme.axpy")
public interface Axpy {
    record Request(TensorId y, float alpha, @ByRange FloatArray x) {}

    record Response(@Reduce(SUM) double squaredNorm) {}

    Response handle(Request slice, Shard shard);
}
