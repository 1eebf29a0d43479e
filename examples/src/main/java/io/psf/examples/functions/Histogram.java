package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduce;

/** Counts the values of a tensor in bins of equal width. */
@PsFunction(value = "examples.histogram", readOnly = true)
public interface Histogram {
    /**
     * The bins.
     *
     * @param tensor the tensor whose values are counted
     * @param from the lower bound of the first bin; lower values count in this bin
     * @param to the upper bound of the last bin; values from it on count in this bin
     * @param bins the number of bins, at least 1
     */
    record Request(TensorId tensor, float from, float to, int bins) {}

    record Response(@Reduce(SUM) LongArray counts) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray values = shard.values();
        LongArray counts = LongArray.allocate(slice.bins());
        for (int i = 0; i < values.length(); i++) {
            double place = ((double) values.get(i) - slice.from()) / ((double) slice.to() - slice.from());
            int bin = (int) Math.max(0, Math.min(slice.bins() - 1, Math.floor(place * slice.bins())));
            counts.set(bin, counts.get(bin) + 1);
        }
        return new Response(counts);
    }
}
