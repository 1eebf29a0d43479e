package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByRange;

/** A wrong function: it answers local row numbers as if they were keys. */
@PsFunction("test.local.rows")
interface LocalRows {
    record Request(TensorId tensor) {}

    record Response(@ByRange(width = 1) LongArray keys) {}

    default Response handle(Request slice, Shard shard) {
        LongArray keys = LongArray.allocate(shard.rows());
        for (int row = 0; row < shard.rows(); row++) {
            keys.set(row, row);
        }
        return new Response(keys);
    }
}
