package io.psf.builtin;

import io.psf.builtin.internal.statistics.Times;

/** A distribution of times, as the counts of some hundred buckets. */
public final class Latency {
    private final Times times;

    Latency(Times times) {
        this.times = times;
    }

    /**
     * Returns the distribution of given times.
     *
     * @param nanos [n] int64, the times, in nanoseconds
     */
    public static Latency of(long... nanos) {
        return new Latency(Times.of(nanos));
    }

    /** Returns the number of times. */
    public long count() {
        return times.count();
    }

    /** Returns the mean, in nanoseconds; 0 if there are no times. */
    public long meanNanos() {
        long count = count();
        return count == 0 ? 0 : times.nanos() / count;
    }

    /** Returns the median, in nanoseconds, with an error of at most 7 %. */
    public long p50Nanos() {
        return times.quantile(0.5);
    }

    /** Returns the time that 99 % of the times do not exceed, in nanoseconds, with an error of at most 7 %. */
    public long p99Nanos() {
        return times.quantile(0.99);
    }

    /**
     * Returns the longest time, in nanoseconds. After {@link Statistics#since} it has an error of at most 13 %, unless
     * it is the longest of all.
     */
    public long maxNanos() {
        return times.max();
    }

    Latency plus(Latency other) {
        return new Latency(times.plus(other.times));
    }

    Latency since(Latency before) {
        return new Latency(times.since(before.times));
    }

    @Override
    public String toString() {
        return "Latency[count=" + count() + ", meanNanos=" + meanNanos() + ", p50Nanos=" + p50Nanos() + ", p99Nanos="
                + p99Nanos() + ", maxNanos=" + maxNanos() + "]";
    }
}
