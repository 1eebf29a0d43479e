package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Reads rows of one tensor on the shards of another. */
@PsFunction(value = "acceptance.read.beside", readOnly = true)
interface ReadBeside {
    record Request(TensorId y, TensorId x, @ByKey LongArray keys) {}

    record Response(@Along("keys") FloatArray rows) {}

    default Response handle(Request slice, Shard shard) {
        return new Response(shard.other(slice.x()).gather(slice.keys()));
    }
}
