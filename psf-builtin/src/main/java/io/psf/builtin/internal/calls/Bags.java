package io.psf.builtin.internal.calls;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.PullBags;
import io.psf.builtin.sparse.PullBagsPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import java.util.Arrays;

/** Bags of keys of a tensor, by the number of keys of each. */
public final class Bags {
    private final TensorCaller worker;
    private final TensorId tensor;
    private final long[] keys;
    private final int[] counts;
    private final int width;

    /**
     * Creates bags.
     *
     * @param keys [n] int64, the keys of all bags
     * @param counts [bags] int32, the number of keys of each bag
     * @throws PsException with {@code BAD_REQUEST} if a number is negative, or their sum is not n
     */
    public Bags(TensorCaller worker, TensorId tensor, long[] keys, int[] counts) {
        this.worker = worker;
        this.tensor = tensor;
        this.keys = keys;
        this.counts = counts;
        this.width = worker.layout(tensor).info().width();
        long sum = 0;
        for (int bag = 0; bag < counts.length; bag++) {
            if (counts[bag] < 0) {
                throw bad("counts[" + bag + "]: " + counts[bag] + " (expected: >= 0, the number of keys of the bag)");
            }
            sum += counts[bag];
        }
        if (sum != keys.length) {
            throw bad("sum of counts: " + sum + " (expected: " + keys.length + ", the number of keys)");
        }
    }

    private PsException bad(String problem) {
        return new PsException(PsException.Code.BAD_REQUEST, problem + " in bags of tensor \"" + tensor + "\"");
    }

    private void requireRows(String name, float[] rows) {
        long expected = (long) counts.length * width;
        if (rows.length != expected) {
            throw bad(name + " length: " + rows.length + " (expected: " + expected + " = " + counts.length + " bags x "
                    + width + " wide)");
        }
    }

    /**
     * Pulls the sum of the rows of each bag.
     *
     * @param mean true for the mean
     * @param into [bags, width] float32, filled
     */
    public Pending<PullBags.Response> pull(boolean mean, float[] into) {
        requireRows("into", into);
        int[] bags = new int[keys.length];
        int at = 0;
        for (int bag = 0; bag < counts.length; bag++) {
            for (int end = at + counts[bag]; at < end; at++) {
                bags[at] = bag;
            }
        }
        return new FollowedCall<>(
                PullBagsPsf.stub(worker).call(tensor, LongArray.wrap(keys), IntArray.wrap(bags), counts.length, mean),
                answer -> {
                    int n = answer.rows().length();
                    answer.rows().copyTo(into);
                    Arrays.fill(into, n, into.length, 0); // no slice answers a call without keys
                });
    }

    /**
     * Pushes an update of each bag to its rows.
     *
     * @param mean true to divide it by the number of its keys
     * @param update [bags, width] float32
     */
    public Pending<SparsePush.Response> push(boolean mean, float[] update) {
        requireRows("update", update);
        if ((long) keys.length * width > Integer.MAX_VALUE) {
            throw bad("keys: " + keys.length + " of rows " + width + " wide (expected: at most "
                    + Integer.MAX_VALUE / width + " keys)");
        }
        float[] each = new float[keys.length * width];
        int at = 0;
        for (int bag = 0; bag < counts.length; bag++) {
            int end = at + counts[bag] * width;
            if (at < end) {
                System.arraycopy(update, bag * width, each, at, width);
                if (mean) {
                    for (int i = at; i < at + width; i++) {
                        each[i] /= counts[bag];
                    }
                }
                for (int next = at + width; next < end; next += width) {
                    System.arraycopy(each, at, each, next, width);
                }
                at = end;
            }
        }
        return SparsePushPsf.stub(worker).call(tensor, LongArray.wrap(keys), FloatArray.wrap(each));
    }
}
