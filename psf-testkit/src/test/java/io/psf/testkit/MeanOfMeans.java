package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** A wrong function: the mean of a whole is not the sum of its parts' means. */
@PsFunction("test.mean")
interface MeanOfMeans {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) double mean) {}

    default Response handle(Request slice, Shard shard) {
        double sum = 0;
        for (int i = 0; i < shard.values().length(); i++) {
            sum += shard.values().get(i);
        }
        return new Response(sum / shard.values().length());
    }
}
