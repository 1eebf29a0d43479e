package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;

/** The share of each key's value in their sum, over several slices. */
@PsFunction(value = "acceptance.shares", readOnly = true)
interface Shares {
    record Request(TensorId tensor, @ByKey LongArray keys, float percent) {}

    record Response(
            @Along(value = "keys", width = 1) FloatArray shares,
            @Reduce(SUM) double total) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray values = FloatArray.allocate(slice.keys().length());
        double total = 0;
        for (int i = 0; i < values.length(); i++) {
            values.set(i, shard.values(slice.keys().get(i)).get(0));
            total += values.get(i);
        }
        return new Response(values, total);
    }

    static Response finish(Request request, Response merged) {
        merged.shares().scale((float) (request.percent() / merged.total()));
        return merged;
    }
}
