package io.psf.builtin.sparse;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import java.util.List;

/**
 * Lists the keys that have a row, page by page. Each slice is listed from its last row down to its first: a row that is
 * removed is replaced by the last one, so no key is passed over that is there all the while, and keys that come meanwhile
 * are not listed. A key may come twice if others are removed meanwhile, and a load begins another table.
 */
@PsFunction(value = "psf.sparse.keys", readOnly = true)
public interface ListKeys {
    /**
     * What is asked.
     *
     * @param tensor which table
     * @param most the most keys that each slice answers, at least 1
     * @param left by slice, how many of its rows have not been listed yet, as the page before said; empty for the first page
     */
    record Request(TensorId tensor, int most, int[] left) {}

    /**
     * A page.
     *
     * @param keys [n] int64, of one slice after the other
     * @param next how to go on, an element a slice
     */
    record Response(@ByKey LongArray keys, List<Next> next) {}

    /**
     * Where the next page of a slice begins.
     *
     * @param slice which slice
     * @param left how many of its rows have not been listed yet
     */
    record Next(int slice, int left) {}

    /** Answers this shard's part of the page. */
    default Response handle(Request slice, Shard shard) {
        if (slice.most() < 1 || slice.left().length > 0 && slice.left().length <= shard.slice()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "most: " + slice.most() + ", left of " + slice.left().length
                            + " slices (expected: most >= 1, and left of each slice or of none)");
        }
        int end = slice.left().length == 0
                ? shard.rows()
                : Math.min(shard.rows(), Math.max(0, slice.left()[shard.slice()]));
        int begin = Math.max(0, end - slice.most());
        LongArray keys = LongArray.allocate(end - begin);
        for (int i = 0; i < keys.length(); i++) {
            keys.set(i, shard.key(begin + i));
        }
        return new Response(keys, List.of(new Next(shard.slice(), begin)));
    }
}
