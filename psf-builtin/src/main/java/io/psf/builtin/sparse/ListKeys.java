package io.psf.builtin.sparse;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import java.util.List;

/**
 * Lists the keys that have a row, page by page. Each slice is listed from its last row down to its first. The last row
 * takes the number of a removed row, so a key that has a row during the whole listing is never missed, and keys that
 * are added during the listing are not listed. A key may be listed twice if other keys are removed during the listing.
 * A load during the listing replaces the table, and these guarantees do not hold across it.
 */
@PsFunction(value = "psf.sparse.keys", readOnly = true)
public interface ListKeys {
    /**
     * The page to list.
     *
     * @param tensor the table
     * @param most the largest number of keys that each slice returns, at least 1
     * @param left [slices] int32, the number of rows of each slice that have not been listed yet, as the previous page
     *     returned it; empty for the first page
     */
    record Request(TensorId tensor, int most, int[] left) {}

    /**
     * A page.
     *
     * @param keys [n] int64, in the order of the slices
     * @param next the positions of the next page, one element per slice
     */
    record Response(@ByKey LongArray keys, List<Next> next) {}

    /**
     * The position of the next page in a slice.
     *
     * @param slice the slice
     * @param left the number of its rows that have not been listed yet
     */
    record Next(int slice, int left) {}

    /** Returns this shard's part of the page. */
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
