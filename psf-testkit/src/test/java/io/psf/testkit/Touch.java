package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Counts how often each row was asked for; wrongly, it notes in which order the shard got them. */
@PsFunction("test.touch")
interface Touch {
    record Request(TensorId tensor, @ByKey LongArray keys, boolean noteOrder) {}

    record Response(@Along("keys") FloatArray values) {}

    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        for (int row : shard.rows(slice.keys())) {
            for (int c = 0; c < width; c++) {
                shard.values().set(row * width + c, shard.values().get(row * width + c) + 1);
            }
            if (slice.noteOrder()) {
                shard.slot("order", 1).set(row, row);
            }
        }
        return new Response(shard.gather(slice.keys()));
    }
}
