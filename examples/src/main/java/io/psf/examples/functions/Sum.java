package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;

/** Computes the sum of all values of a tensor. */
@PsFunction(value = "examples.sum", readOnly = true)
public interface Sum {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) double sum) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray values = shard.values();
        double sum = 0;
        for (int i = 0; i < values.length(); i++) {
            sum += values.get(i);
        }
        return new Response(sum);
    }
}
