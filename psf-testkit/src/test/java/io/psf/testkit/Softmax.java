package io.psf.testkit;

import static io.psf.api.layout.Reduction.MAX;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;

/** The shares of candidates, which may lie on several slices: the total is known once all have answered. */
@PsFunction(value = "test.softmax", readOnly = true)
interface Softmax {
    record Request(TensorId tensor, @ByKey LongArray candidates, float temperature) {}

    record Response(
            @Along(value = "candidates", width = 1) FloatArray shares,
            @Reduce(MAX) float largest) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray scores = FloatArray.allocate(slice.candidates().length());
        float largest = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < scores.length(); i++) {
            scores.set(i, shard.values(slice.candidates().get(i)).get(0));
            largest = Math.max(largest, scores.get(i));
        }
        return new Response(scores, largest);
    }

    static Response finish(Request request, Response merged) {
        FloatArray shares = merged.shares();
        double total = 0;
        for (int i = 0; i < shares.length(); i++) {
            shares.set(i, (float) Math.exp((shares.get(i) - merged.largest()) / request.temperature()));
            total += shares.get(i);
        }
        shares.scale((float) (1 / total));
        return new Response(shares, (float) (1 / total));
    }
}
