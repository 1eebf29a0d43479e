package io.psf.builtin.sparse;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;

/**
 * Pulls the sum, or the mean, of the rows of each bag of keys: one row a bag. A slice answers with a row for each bag
 * of which it owns a key, never with more rows than it has been sent keys. Creates no row in a growing table: a key
 * without a row yields the initial values of its row.
 *
 * <p>The rows of a slice are added in the order of the keys, in float32, and the slices' sums in the order of the
 * slices. So equal requests have equal results.
 */
@PsFunction(value = "psf.sparse.pull.bags", readOnly = true)
public interface PullBags {
    /**
     * The bags to pull.
     *
     * @param tensor the tensor to pull from
     * @param keys [n] int64, row ids, the ids of bag 0 first; a key may be in several bags, and several times in one;
     *     borrowed until await returns
     * @param bags [n] int32, the bag of each key, ascending, from 0 to {@code count} exclusive; borrowed until await
     *     returns
     * @param count the number of bags; bags may have no keys
     * @param mean true if the sum of a bag is divided by the number of its keys
     */
    record Request(
            TensorId tensor,
            @ByKey LongArray keys,
            @Along(value = "keys", width = 1) IntArray bags,
            int count,
            boolean mean) {}

    /**
     * The rows of bags.
     *
     * @param bags [m] int64, the bags in order: in the answer of a slice the bags of which it owns a key, in the merged
     *     answer all bags
     * @param rows [m, width] float32: in the answer of a slice the sums of its rows, in the merged answer the pooled
     *     rows, zeros for a bag without keys; empty if the request has no keys
     */
    record Response(
            @ByKey LongArray bags, @Along("bags") @Wire FloatArray rows) {}

    /** Returns the sums of this shard's rows. */
    default Response handle(Request slice, Shard shard) {
        BagSlice bags = BagSlice.of(slice.bags(), slice.count());
        return new Response(bags.numbers(), Answers.sums(shard, slice.keys(), bags.ends()));
    }

    /** Adds the sums of the slices, and divides them for a mean. */
    static Response finish(Request request, Response merged) {
        return new Response(
                BagSlice.all(request.count()),
                BagSlice.pool(merged, request.count(), request.mean() ? request.bags() : null));
    }
}
