package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;

/** Reads rows of a second tensor by its keys, and all of a third. */
@PsFunction("test.beside")
interface Beside {
    record Request(
            TensorId first,
            TensorId second,
            TensorId third,
            @ByKey(of = "second", everySlice = true) LongArray keys) {}

    record Response(
            @Along("keys") FloatArray rows, @Reduce(SUM) double sum) {}

    default Response handle(Request slice, Shard shard) {
        FloatArray rows = shard.other(slice.second()).gather(slice.keys());
        FloatArray third = shard.other(slice.third()).values();
        return new Response(rows, third.dot(third));
    }
}
