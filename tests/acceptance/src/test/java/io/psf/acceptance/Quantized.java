package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;

/**
 * Adds rows that travel as integers of 8 bits, and returns the rows as bfloat16, whatever the tensor's formats; and
 * integers of rows of another width.
 */
@PsFunction("acceptance.quantized")
interface Quantized {
    record Request(
            TensorId table,
            @ByKey LongArray keys,
            @Along("keys") @Wire(FloatType.INT8) FloatArray update) {}

    record Response(
            @Along("keys") @Wire(FloatType.BFLOAT16) FloatArray values,

            @Along(value = "keys", width = POWERS) @Wire(FloatType.INT8)
            FloatArray powers) {}

    /** The number of powers. */
    int POWERS = 10;

    default Response handle(Request slice, Shard shard) {
        for (int i = 0; i < slice.keys().length(); i++) {
            int width = shard.width();
            shard.values(slice.keys().get(i)).addScaled(1, slice.update().slice(i * width, (i + 1) * width));
        }
        FloatArray powers = FloatArray.allocate(slice.keys().length() * POWERS);
        for (int i = 0; i < powers.length(); i++) {
            powers.set(i, (float) Math.pow(10, (int) slice.keys().get(i / POWERS) % 7) * (i % POWERS));
        }
        return new Response(shard.gather(slice.keys()), powers);
    }
}
