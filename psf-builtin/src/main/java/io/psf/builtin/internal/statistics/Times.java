package io.psf.builtin.internal.statistics;

import java.util.Arrays;

/**
 * A distribution of times. A bucket holds the times between two bounds, which are at most an eighth apart.
 *
 * @param nanos the sum of the times, in nanoseconds
 * @param max the longest time, in nanoseconds
 * @param buckets [n] int64, the number of times in each bucket, up to the last bucket that is not empty
 */
public record Times(long nanos, long max, long[] buckets) {
    /** The buckets of a power of two. */
    private static final int STEPS = 8;

    private static final int BITS = 3;

    /** The number of buckets: the last one begins below 2^41 ns, which is about 37 minutes, and has no upper bound. */
    static final int BUCKETS = (40 - BITS + 1) * STEPS + STEPS;

    /** Returns the distribution without times. */
    public static Times none() {
        return new Times(0, 0, new long[0]);
    }

    /** Returns the distribution of given times, in nanoseconds. */
    public static Times of(long... nanos) {
        Histogram times = new Histogram();
        for (long each : nanos) {
            times.add(each);
        }
        return times.times();
    }

    /** Returns the number of a time's bucket. */
    static int bucket(long nanos) {
        if (nanos < STEPS) {
            return (int) Math.max(0, nanos);
        }
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        int bucket = (power - BITS + 1) * STEPS + ((int) (nanos >>> (power - BITS)) & (STEPS - 1));
        return Math.min(BUCKETS - 1, bucket);
    }

    /** Returns the least time of a bucket, in nanoseconds. */
    static long least(int bucket) {
        return bucket < STEPS ? bucket : (long) (STEPS + bucket % STEPS) << (bucket / STEPS - 1);
    }

    /** Returns the distribution of these times and of others. */
    public Times plus(Times other) {
        long[] sum = Arrays.copyOf(buckets, Math.max(buckets.length, other.buckets.length));
        for (int i = 0; i < other.buckets.length; i++) {
            sum[i] += other.buckets[i];
        }
        return new Times(nanos + other.nanos, Math.max(max, other.max), sum);
    }

    /** Returns the times that were added since an earlier time. The longest one is the bound of its bucket, if not of all. */
    public Times since(Times before) {
        long[] added = buckets.clone();
        int used = 0;
        for (int i = 0; i < added.length; i++) {
            added[i] = Math.max(0, added[i] - (i < before.buckets.length ? before.buckets[i] : 0));
            used = added[i] > 0 ? i + 1 : used;
        }
        return new Times(
                Math.max(0, nanos - before.nanos),
                max > before.max ? max : Math.min(max, least(used)),
                Arrays.copyOf(added, used));
    }

    /** Returns the number of times below a bound, which is the least time of a bucket. */
    long below(long nanos) {
        return Arrays.stream(buckets, 0, Math.min(bucket(nanos), buckets.length))
                .sum();
    }

    /** Returns the number of times. */
    public long count() {
        return Arrays.stream(buckets).sum();
    }

    /**
     * Returns a quantile in nanoseconds: the middle of its bucket, which is at most 7 % from the exact value. Returns 0
     * if there are no times.
     *
     * @param share the share of the times that are at most as long, from 0 to 1
     */
    public long quantile(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * count()));
        for (int i = 0; i < buckets.length; i++) {
            rank -= buckets[i];
            if (rank <= 0) {
                return Math.min(max, (least(i) + least(i + 1)) / 2);
            }
        }
        return max;
    }
}
