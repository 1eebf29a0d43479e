package io.psf.builtin.sparse;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Finds which keys have a row. Creates no row. In a tensor that does not grow, every valid key has a row. */
@PsFunction(value = "psf.sparse.find", readOnly = true)
public interface FindRows {
    /**
     * The keys to find.
     *
     * @param tensor the table
     * @param keys [n] int64, row ids in any order, duplicates allowed; borrowed until await returns
     */
    record Request(TensorId tensor, @ByKey(combine = LAST) LongArray keys) {}

    /**
     * The result.
     *
     * @param present [n] int8, 1 for a key that has a row, 0 for a key that has none
     */
    record Response(@Along(value = "keys", width = 1) ByteArray present) {}

    /** Returns the current state of the rows. */
    default Response handle(Request slice, Shard shard) {
        int n = slice.keys().length();
        int[] rows = new int[n];
        int found = shard.find(slice.keys(), rows);
        byte[] present = new byte[n];
        for (int i = 0; i < n && found > 0; i++) {
            present[i] = (byte) (rows[i] < 0 ? 0 : 1);
        }
        return new Response(ByteArray.wrap(present));
    }
}
