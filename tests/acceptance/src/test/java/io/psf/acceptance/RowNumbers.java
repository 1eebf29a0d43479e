package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Asks for the numbers of rows as a function does that changes something, though it is read-only. */
@PsFunction(value = "test.row.numbers", readOnly = true)
public interface RowNumbers {
    record Request(TensorId beside, TensorId table, @ByKey LongArray keys) {}

    record Response(@Along(value = "keys", width = 1) IntArray rows) {}

    default Response handle(Request slice, Shard shard) {
        Shard table = slice.table().equals(slice.beside()) ? shard : shard.other(slice.table());
        return new Response(IntArray.wrap(table.rows(slice.keys())));
    }
}
