package io.psf.spark.submitted;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/** Counts the values above a bound: a function of a user, whose classes are in the jar of the application alone. */
@PsFunction("submitted.count_above")
public interface CountAbove {
    record Request(TensorId tensor, float bound) {}

    record Response(@Reduce(Reduction.SUM) long count) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray values = shard.values();
        long count = 0;
        for (int i = 0; i < values.length(); i++) {
            count += values.get(i) > slice.bound() ? 1 : 0;
        }
        return new Response(count);
    }
}
