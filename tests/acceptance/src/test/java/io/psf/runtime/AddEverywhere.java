package io.psf.runtime;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;

/** Adds an update to the whole tensor, and returns how many rows have received it. */
@PsFunction("acceptance.add-everywhere")
interface AddEverywhere {
    record Request(TensorId tensor, @ByRange FloatArray update) {}

    record Response(@Reduce(SUM) long rows) {}

    default Response handle(Request slice, Shard shard) {
        shard.values().addScaled(1, slice.update());
        return new Response(shard.range().length());
    }
}
