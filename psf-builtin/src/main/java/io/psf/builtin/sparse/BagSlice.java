package io.psf.builtin.sparse;

import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bags of the keys that a slice owns.
 *
 * @param numbers [m] int64, the bags that have a key, ascending
 * @param ends [m], the index behind the last key of each
 */
record BagSlice(LongArray numbers, int[] ends) {
    /**
     * Returns the bags of keys.
     *
     * @param bags [n] int32, the bag of each key
     * @param count the number of bags
     */
    static BagSlice of(IntArray bags, int count) {
        int n = bags.length();
        long[] numbers = new long[Math.min(n, Math.max(0, count))];
        int[] ends = new int[numbers.length];
        int m = 0;
        int last = -1;
        for (int i = 0; i < n; i++) {
            int bag = bags.get(i);
            if (bag < Math.max(0, last) || bag >= count) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "bag of key " + i + ": " + bag + " after " + last + ", of " + count
                                + " bags (expected: ascending numbers from 0, less than the number of bags)");
            }
            if (bag != last) {
                numbers[m++] = bag;
                last = bag;
            }
            ends[m - 1] = i + 1;
        }
        return new BagSlice(LongArray.wrap(Arrays.copyOf(numbers, m)), Arrays.copyOf(ends, m));
    }

    /**
     * Returns the numbers of all bags.
     *
     * @throws PsException with {@code BAD_REQUEST} if the number of bags is negative
     */
    static LongArray all(int count) {
        if (count < 0) { // no slice has a key that would tell
            throw new PsException(PsException.Code.BAD_REQUEST, "number of bags: " + count + " (expected: >= 0)");
        }
        LongArray numbers = LongArray.allocate(count);
        for (int bag = 0; bag < count; bag++) {
            numbers.set(bag, bag);
        }
        return numbers;
    }

    /**
     * Returns the pooled rows of all bags.
     *
     * @param sums the sums of the slices, in the order of the slices
     * @param divisors [n] int32, the bag of each key, by the number of which the sum of a bag is divided; null if it is
     *     not
     * @return [count, width] float32; empty if no slice has answered
     */
    static FloatArray pool(PullBags.Response sums, int count, @Nullable IntArray divisors) {
        int m = sums.bags().length();
        int width = m == 0 ? 0 : sums.rows().length() / m;
        float[] pooled = new float[Math.multiplyExact(count, width)];
        float[] row = new float[width];
        for (int i = 0; i < m; i++) {
            sums.rows().copyTo(i * width, row, 0, width);
            int at = Math.toIntExact(sums.bags().get(i)) * width;
            for (int j = 0; j < width; j++) {
                pooled[at + j] += row[j];
            }
        }
        if (divisors != null && width > 0) {
            divide(pooled, width, divisors);
        }
        return FloatArray.wrap(pooled);
    }

    private static void divide(float[] pooled, int width, IntArray bags) {
        int n = bags.length();
        for (int begin = 0, end; begin < n; begin = end) {
            int bag = bags.get(begin);
            end = begin + 1;
            while (end < n && bags.get(end) == bag) {
                end++;
            }
            float keys = end - begin;
            for (int at = bag * width; at < (bag + 1) * width; at++) {
                pooled[at] /= keys;
            }
        }
    }
}
